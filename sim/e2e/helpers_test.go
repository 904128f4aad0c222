package e2e_test

import (
	"context"
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/e2e"
	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/journal"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// newTest returns a Gomega with long timeouts.
func newTest(t *testing.T) *WithT {
	t.Helper()
	g := NewWithT(t)
	g.SetDefaultEventuallyTimeout(e2e.Patience)
	g.SetDefaultEventuallyPollingInterval(50 * time.Millisecond)
	return g
}

func newNamespace(t *testing.T, name string) {
	t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	NewWithT(t).Expect(client.IgnoreAlreadyExists(harness.World.Client().Create(t.Context(), ns))).To(Succeed())
}

// healthCheck finds a Node unhealthy after a second without a heartbeat.
func healthCheck(cluster client.ObjectKey, selector metav1.LabelSelector) *clusterv1.MachineHealthCheck {
	return &clusterv1.MachineHealthCheck{
		ObjectMeta: metav1.ObjectMeta{Namespace: cluster.Namespace, Name: cluster.Name},
		Spec: clusterv1.MachineHealthCheckSpec{
			ClusterName: cluster.Name,
			Selector:    selector,
			Checks: clusterv1.MachineHealthCheckChecks{UnhealthyNodeConditions: []clusterv1.UnhealthyNodeCondition{
				{Type: corev1.NodeReady, Status: corev1.ConditionUnknown, TimeoutSeconds: new(int32(1))},
			}},
		},
	}
}

// workers selects the workers of a cluster.
func workers(cluster client.ObjectKey) metav1.LabelSelector {
	return metav1.LabelSelector{MatchLabels: map[string]string{
		clusterv1.MachineDeploymentNameLabel: world.MachineDeploymentName(cluster.Name, world.DefaultPool),
	}}
}

// settled expects that a MachineHealthCheck has that many machines, all of them healthy.
func settled(t *testing.T, g Gomega, mhc *clusterv1.MachineHealthCheck, machines int) {
	t.Helper()
	now := &clusterv1.MachineHealthCheck{}
	g.Expect(harness.World.Client().Get(t.Context(), client.ObjectKeyFromObject(mhc), now)).To(Succeed())
	g.Expect(now.Status.ExpectedMachines).To(HaveValue(BeEquivalentTo(machines)))
	g.Expect(now.Status.CurrentHealthy).To(HaveValue(BeEquivalentTo(machines)))
	g.Expect(now.Status.ObservedGeneration).To(Equal(now.Generation))
}

func isGone(t *testing.T, machine *clusterv1.Machine) bool {
	t.Helper()
	return apierrors.IsNotFound(harness.World.Client().Get(t.Context(), client.ObjectKeyFromObject(machine), &clusterv1.Machine{}))
}

// touched reports whether anything was ever done to a machine.
func touched(machine *clusterv1.Machine) bool {
	_, found := harness.Journal.Find(func(e journal.Entry) bool {
		m, ok := e.Object.(*clusterv1.Machine)
		return ok && m.UID == machine.UID && (e.Gone || journal.Deleting(m) || journal.Marked(m))
	})
	return found
}

// waitContext returns a context with the time limit of a wait.
func waitContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), e2e.Patience)
	t.Cleanup(cancel)
	return ctx
}

// allClosed expects that all remediations in a namespace have ended, and that their records have no finalizers.
func allClosed(g Gomega, namespace string) {
	records := &v1alpha1.MachineRemediationList{}
	g.Expect(harness.World.Client().List(context.Background(), records, client.InNamespace(namespace))).To(Succeed())
	for _, record := range records.Items {
		g.Expect(record.Status.Phase).To(Equal(v1alpha1.RemediationEnded), "%s: %+v", record.Name, record.Status)
		g.Expect(record.Finalizers).To(BeEmpty())
		g.Expect(record.Labels).NotTo(HaveKey(v1alpha1.OpenLabel))
	}
}

// seen returns all machines that ever existed in a namespace.
func seen(namespace string) []types.UID {
	var all []types.UID
	harness.Journal.Find(func(e journal.Entry) bool {
		m, ok := e.Object.(*clusterv1.Machine)
		if ok && m.Namespace == namespace && !slices.Contains(all, m.UID) {
			all = append(all, m.UID)
		}
		return false
	})
	return all
}

var planRef = clusterv1.MachineHealthCheckRemediationTemplateReference{
	APIVersion: v1alpha1.GroupVersion.String(), Kind: "MachineRemediationTemplate", Name: "watch-first",
}

// tried returns the steps that records have tried, with their results. Attempts that were aborted or not begun are none: on a busy computer, a
// machine may be unjudged for a moment after a restart, so its act is put off.
func tried(records []*v1alpha1.MachineRemediation) []string {
	var all []string
	for _, record := range records {
		for _, attempt := range record.Status.Attempts {
			if attempt.Result != v1alpha1.ResultAborted && attempt.Result != v1alpha1.ResultNotBegun {
				all = append(all, attempt.Step+": "+string(attempt.Result))
			}
		}
	}
	return all
}

// happens injects a fault.
func happens(t *testing.T, f fault.Fault) {
	t.Helper()
	newTest(t).Expect(f.Inject(t.Context(), harness.World)).To(Succeed())
}

// becomes waits for a state of a machine.
func becomes(t *testing.T, machine *clusterv1.Machine, what string, matches func(*clusterv1.Machine) bool) journal.Entry {
	t.Helper()
	entry, err := harness.Journal.Machine(waitContext(t), machine.UID, what+" of machine "+machine.Name, matches)
	newTest(t).Expect(err).NotTo(HaveOccurred())
	return entry
}
