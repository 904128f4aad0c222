package app

import (
	"context"
	"net/http"
	"os"
	"regexp"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/secret"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

var headline, leads = regexp.MustCompile(`<h1>.*</h1>`), regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]+ leads`)

// TestStandby: a standby knows the Nodes of workload clusters before it leads. So its dashboard shows the same as the leader's, and when it
// takes over, no machine becomes Unknown until its cluster is connected. Here, machines have no grace period.
func TestStandby(t *testing.T) {
	e, o := env.Get(t), withDashboard(t)
	e.Install(t, env.WithCRDFiles("config/crd/sickbay*.yaml"))
	g := NewWithT(t)
	g.SetDefaultEventuallyTimeout(time.Minute)
	node, machine := build.Node(o.Namespace+"-node"), build.Machine(o.Namespace, "m", build.NodeRef(o.Namespace+"-node"))
	build.Create(t.Context(), t, e.Client, node, build.Cluster(o.Namespace, build.ClusterName), kubeconfigOf(t, o.Namespace, e.Config), machine,
		build.MachineHealthCheck(o.Namespace, "mhc", build.UnhealthyNodeCondition(corev1.NodeReady, corev1.ConditionFalse, 0)))
	t.Cleanup(func() { _ = e.Client.Delete(context.WithoutCancel(t.Context()), node) })

	o.Controllers, o.RemoteConditionsGracePeriod = DefaultOptions().Controllers, 0
	o.LeaderElect, o.LeaderElectNamespace = true, o.Namespace
	leader := run(t, o)
	<-leader.Manager.Elected()
	standby, token := run(t, o), viewer(t, o.Namespace)
	for _, a := range []*running{leader, standby} {
		g.Eventually(func() string {
			_, body := page(t, a, http.MethodGet, "/", token)
			return headline.FindString(body) + leads.FindString(body)
		}).Should(And(ContainSubstring("All machines are healthy"), HaveSuffix(" leads")))
	}
	select {
	case <-standby.Manager.Elected():
		t.Fatal("both lead")
	default:
	}

	verdicts := verdictsOn(t, machine)
	leader.stop()
	<-standby.Manager.Elected()
	node.Status = build.Node(node.Name, build.NodeReady(metav1.ConditionFalse, build.Epoch)).Status
	g.Expect(e.Client.Status().Update(t.Context(), node)).To(Succeed())
	var seen []metav1.ConditionStatus
	for len(seen) == 0 || seen[len(seen)-1] != metav1.ConditionFalse {
		g.Eventually(verdicts).Should(Receive(Satisfy(func(s metav1.ConditionStatus) bool { seen = append(seen, s); return true })))
	}
	g.Expect(seen).NotTo(ContainElement(metav1.ConditionUnknown), "the new leader could not read the Node")
}

// verdictsOn sends the status of the verdict on a Machine whenever the Machine changes.
func verdictsOn(t *testing.T, machine *clusterv1.Machine) <-chan metav1.ConditionStatus {
	t.Helper()
	c, err := client.NewWithWatch(env.Get(t).Config, client.Options{Scheme: Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	changes, err := c.Watch(t.Context(), &clusterv1.MachineList{}, client.InNamespace(machine.Namespace))
	if err != nil {
		t.Fatal(err)
	}
	verdicts := make(chan metav1.ConditionStatus, 100)
	go func() {
		for change := range changes.ResultChan() {
			if m, ok := change.Object.(*clusterv1.Machine); ok {
				if c := meta.FindStatusCondition(m.Status.Conditions, verdict.ConditionType); c != nil {
					verdicts <- c.Status
				}
			}
		}
	}()
	return verdicts
}

// kubeconfigOf returns the kubeconfig Secret of a workload cluster.
func kubeconfigOf(t *testing.T, namespace string, to *rest.Config) *corev1.Secret {
	t.Helper()
	kubeconfig, err := os.ReadFile(env.Kubeconfig(t, to, "robin", ""))
	if err != nil {
		t.Fatal(err)
	}
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: secret.Name(build.ClusterName, secret.Kubeconfig), Labels: map[string]string{clusterv1.ClusterNameLabel: build.ClusterName},
		},
		Data: map[string][]byte{secret.KubeconfigDataName: kubeconfig},
	}
}
