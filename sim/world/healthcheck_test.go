package world_test

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// This test starts a second world with the one controller that the shared world leaves to Sickbay.
func TestUpstreamMachineHealthCheck(t *testing.T) {
	g := NewWithT(t)
	g.SetDefaultEventuallyTimeout(patience)
	other, err := world.Start(t.Context(), world.Options{UpstreamMachineHealthCheck: true})
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { g.Expect(other.Stop(context.Background())).To(Succeed()) })

	spec := world.ClusterSpec{Namespace: "default", Name: "upstream", Workers: 2}
	g.Expect(other.CreateCluster(t.Context(), spec)).To(Succeed())
	g.Expect(other.WaitReady(t.Context(), spec.Key())).To(Succeed())
	g.Expect(other.Client().Create(t.Context(), healthCheck(spec))).To(Succeed())
	workers, err := other.PoolMachines(t.Context(), spec.Key(), world.DefaultPool)
	g.Expect(err).NotTo(HaveOccurred())

	sick := &workers[0]
	start := time.Now()
	g.Expect(fault.StopKubelet{Cluster: spec.Key(), Node: sick.Status.NodeRef.Name}.Inject(t.Context(), other)).To(Succeed())
	g.Eventually(func(g Gomega) {
		g.Expect(other.MachineOf(t.Context(), spec.Key(), sick.Status.NodeRef.Name)).Error().To(HaveOccurred())
		g.Expect(other.Ready(t.Context(), spec.Key())).To(Succeed())
	}).Should(Succeed())
	t.Logf("machine replaced after %s", time.Since(start).Round(time.Millisecond))
}

func healthCheck(spec world.ClusterSpec) client.Object {
	return &clusterv1.MachineHealthCheck{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: spec.Namespace, Name: "workers",
			Labels: map[string]string{clusterv1.ClusterNameLabel: spec.Name},
		},
		Spec: clusterv1.MachineHealthCheckSpec{
			ClusterName: spec.Name,
			Selector: metav1.LabelSelector{MatchLabels: map[string]string{
				clusterv1.MachineDeploymentNameLabel: world.MachineDeploymentName(spec.Name, world.DefaultPool),
			}},
			Checks: clusterv1.MachineHealthCheckChecks{
				NodeStartupTimeoutSeconds: new(int32(600)),
				UnhealthyNodeConditions: []clusterv1.UnhealthyNodeCondition{
					{Type: corev1.NodeReady, Status: corev1.ConditionUnknown, TimeoutSeconds: new(int32(1))},
				},
			},
		},
	}
}
