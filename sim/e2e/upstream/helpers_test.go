package upstream_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
	"github.com/sickbay-dev/sickbay/sim/e2e"
	"github.com/sickbay-dev/sickbay/sim/journal"
	"github.com/sickbay-dev/sickbay/sim/world"
)

func equal(a, b map[string]string) bool { return maps.Equal(a, b) }

// healthCheck returns a MachineHealthCheck for a pool, with everything that Cluster API's webhook
// would default.
func healthCheck(pool string) *clusterv1.MachineHealthCheck {
	return &clusterv1.MachineHealthCheck{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: cluster.Namespace, Name: pool, Labels: map[string]string{clusterv1.ClusterNameLabel: cluster.Name},
		},
		Spec: clusterv1.MachineHealthCheckSpec{
			ClusterName: cluster.Name,
			Selector: metav1.LabelSelector{MatchLabels: map[string]string{
				clusterv1.MachineDeploymentNameLabel: world.MachineDeploymentName(cluster.Name, pool),
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

// settled expects that a MachineHealthCheck counts two healthy machines.
func settled(t *testing.T, g Gomega, mhc *clusterv1.MachineHealthCheck) {
	t.Helper()
	now := &clusterv1.MachineHealthCheck{}
	g.Expect(harness.World.Client().Get(t.Context(), client.ObjectKeyFromObject(mhc), now)).To(Succeed())
	g.Expect(now.Status.ExpectedMachines).To(HaveValue(BeEquivalentTo(2)))
	g.Expect(now.Status.CurrentHealthy).To(HaveValue(BeEquivalentTo(2)))
}

func gone(t *testing.T, machine *clusterv1.Machine) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), e2e.Patience)
	defer cancel()
	if _, err := harness.Journal.Gone(ctx, machine.UID, "the end of machine "+machine.Name); err != nil {
		t.Fatal(err)
	}
}

// await waits until a MachineHealthCheck has matching annotations.
func await(t *testing.T, what string, mhc *clusterv1.MachineHealthCheck, matches func(map[string]string) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), e2e.Patience)
	defer cancel()
	_, err := harness.Journal.MachineHealthCheck(ctx, client.ObjectKeyFromObject(mhc), what, func(m *clusterv1.MachineHealthCheck) bool {
		return matches(m.Annotations)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// awaitPause waits for the beginning and the end of a pause for an upgrade, with what cluster.x-k8s.io/paused says meanwhile and afterwards.
func awaitPause(t *testing.T, mhc *clusterv1.MachineHealthCheck, meanwhile, afterwards string) {
	t.Helper()
	for i, what := range []string{"the pause", "the end of the pause"} {
		await(t, what+" of "+mhc.Name, mhc, func(annotations map[string]string) bool {
			_, marked := annotations[pause.MarkerAnnotation]
			_, resumed := annotations[mhcspec.ResumedAtAnnotation]
			return annotations[clusterv1.PausedAnnotation] == []string{meanwhile, afterwards}[i] && marked == (i == 0) && resumed == (i == 1)
		})
	}
}

// expectKept checks that a MachineHealthCheck was never given back to Cluster API's controller since Sickbay has it.
func expectKept(g *WithT, mhc *clusterv1.MachineHealthCheck) {
	has, lost := false, false
	harness.Journal.Find(func(e journal.Entry) bool {
		check, ok := e.Object.(*clusterv1.MachineHealthCheck)
		if ok && client.ObjectKeyFromObject(check) == client.ObjectKeyFromObject(mhc) {
			lost = lost || has && !mhcspec.HandedOver(check)
			has = has || mhcspec.HandedOver(check)
		}
		return false
	})
	g.Expect(has).To(BeTrue(), mhc.Name)
	g.Expect(lost).To(BeFalse(), mhc.Name)
}

// told counts the events about an object by their reasons.
func told(t *testing.T, obj client.Object) map[string]int {
	t.Helper()
	list, times := &eventsv1.EventList{}, map[string]int{}
	NewWithT(t).Expect(harness.World.Client().List(t.Context(), list, client.InNamespace(obj.GetNamespace()))).To(Succeed())
	for _, event := range list.Items {
		if event.Regarding.Kind != "MachineHealthCheck" || event.Regarding.Name != obj.GetName() {
			continue
		}
		times[event.Reason]++
		if event.Series != nil {
			times[event.Reason] += int(event.Series.Count) - 1
		}
	}
	return times
}

func machinesOf(t *testing.T, pool string) []client.Object {
	t.Helper()
	machines, err := harness.World.PoolMachines(t.Context(), cluster.Key(), pool)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	objects := make([]client.Object, len(machines))
	for i := range machines {
		objects[i] = &machines[i]
	}
	return objects
}

func healthChecks(t *testing.T) []client.Object {
	t.Helper()
	list := &clusterv1.MachineHealthCheckList{}
	NewWithT(t).Expect(harness.World.Client().List(t.Context(), list, client.InNamespace(cluster.Namespace))).To(Succeed())
	objects := make([]client.Object, len(list.Items))
	for i := range list.Items {
		objects[i] = &list.Items[i]
	}
	return objects
}

// bySickbay reports whether Sickbay wrote any field of any of the objects.
func bySickbay(objects []client.Object) bool {
	return slices.ContainsFunc(objects, func(object client.Object) bool {
		return slices.ContainsFunc(object.GetManagedFields(), isSickbay)
	})
}

func isSickbay(entry metav1.ManagedFieldsEntry) bool {
	return strings.HasPrefix(entry.Manager, "sickbay-")
}
