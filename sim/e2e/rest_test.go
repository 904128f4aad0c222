package e2e_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/gomega"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/e2e"
	"github.com/sickbay-dev/sickbay/sim/scenario"
)

const (
	// calm is how long nothing must happen before it counts as rest. It is longer than the waits that began earlier and lead to one more
	// look: a minute, after which Sickbay cleans up ended records, and up to 75 seconds for which pacing lets a domain cool down.
	calm = 76 * time.Second
	// heartbeats is how often each kubelet reports, once per second, while nothing else happens.
	heartbeats = 5
)

// atRest shows that Sickbay does nothing while only heartbeats happen: no log line, no event, no write, not even a look at
// an object.
func atRest(t *testing.T, s *split) {
	t.Helper()
	g := newTest(t)
	last, since := restingState(t, s), time.Now()
	g.Eventually(func() time.Duration {
		if now := restingState(t, s); now != last {
			t.Logf("after %s: %s", time.Since(since), cmp.Diff(last, now))
			last, since = now, time.Now()
		}
		return time.Since(since)
	}).WithPolling(time.Second).WithTimeout(2*e2e.Patience).Should(BeNumerically(">", calm), "everything comes to rest")

	// Observe for a while: there is no event to wait for when nothing happens.
	for range heartbeats {
		beat(t)
		g.Consistently(func() string { return cmp.Diff(last, restingState(t, s)) }).WithTimeout(time.Second).WithPolling(250 * time.Millisecond).
			Should(BeEmpty())
	}
}

// restingState describes everything that Sickbay might do.
func restingState(t *testing.T, s *split) string {
	t.Helper()
	g, c := NewWithT(t), harness.World.Client()
	var state strings.Builder
	for _, list := range []client.ObjectList{
		&clusterv1.ClusterList{}, &clusterv1.MachineList{}, &clusterv1.MachineHealthCheckList{}, &v1alpha1.MachineRemediationList{}, &eventsv1.EventList{},
	} {
		objects := &metav1.PartialObjectMetadataList{}
		gvk, err := c.GroupVersionKindFor(list)
		g.Expect(err).NotTo(HaveOccurred())
		objects.SetGroupVersionKind(gvk)
		g.Expect(c.List(t.Context(), objects, client.InNamespace(scenario.Namespace))).To(Succeed())
		for _, object := range objects.Items {
			fmt.Fprintln(&state, gvk.Kind, object.Name, object.ResourceVersion)
		}
	}
	for _, controller := range []string{"machinehealth", "machinehealthcheck", "remediation", "upgradepause", "reboot"} {
		looks := 0.0
		for _, n := range s.scrape(t, fmt.Sprintf("controller_runtime_reconcile_total{controller=%q", controller)) {
			looks += n
		}
		fmt.Fprintln(&state, controller, "looked", looks, "times")
	}
	return state.String() + s.log()
}

// beat makes every kubelet report an unchanged state.
func beat(t *testing.T) {
	t.Helper()
	g := NewWithT(t)
	machines := &clusterv1.MachineList{}
	g.Expect(harness.World.Client().List(t.Context(), machines, client.InNamespace(scenario.Namespace))).To(Succeed())
	g.Expect(machines.Items).NotTo(BeEmpty())
	for _, machine := range machines.Items {
		node, err := harness.World.Node(t.Context(), &machine)
		g.Expect(err).NotTo(HaveOccurred())
		for i := range node.Status.Conditions {
			node.Status.Conditions[i].LastHeartbeatTime = metav1.Now()
		}
		if machine.Spec.InfrastructureRef.Kind == "Metal3Machine" {
			g.Expect(harness.World.Client().Status().Update(t.Context(), node)).To(Succeed())
			continue
		}
		memory := harness.World.WorkloadClient(client.ObjectKey{Namespace: machine.Namespace, Name: machine.Spec.ClusterName})
		g.Expect(memory.Update(t.Context(), node)).To(Succeed())
	}
}
