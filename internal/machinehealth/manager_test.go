package machinehealth

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// patience is much longer than any event takes. This test has no sync period, so nothing else can
// cause what happens.
const patience = 30 * time.Second

// TestManager runs the controller with the cache, transform and indexes of production.
func TestManager(t *testing.T) {
	g := NewWithT(t)
	f := newHarness(t)
	f.nodes.Remove(f.clusterKey(), "node")
	stored := f.cluster.DeepCopy()
	build.ControlPlaneNotInitialized()(stored)
	g.Expect(f.env.Client.Status().Update(t.Context(), stored)).To(Succeed())
	f.manage()
	reason := func() string { return f.reason() }

	g.Eventually(reason, patience).Should(Equal(verdict.ReasonWaitingForControlPlane))

	stored.Status.Conditions = f.cluster.Status.Conditions
	g.Expect(f.env.Client.Status().Update(t.Context(), stored)).To(Succeed())
	g.Eventually(reason, patience).Should(Equal(verdict.ReasonNodeNotFound), "the Cluster is initialized")

	f.delete(f.mhc)
	g.Eventually(reason, patience).Should(BeEmpty(), "the MachineHealthCheck is deleted")

	again := build.MachineHealthCheck(f.machine.Namespace, "new")
	selector := *again.Spec.Selector.DeepCopy()
	build.Create(t.Context(), t, f.env.Client, again)
	g.Eventually(reason, patience).Should(Equal(verdict.ReasonNodeNotFound), "there is a MachineHealthCheck again")

	change(f, again, func(m *clusterv1.MachineHealthCheck) { build.Selector(map[string]string{"other": "1"})(m) })
	g.Eventually(reason, patience).Should(BeEmpty(), "it selects others")
	change(f, again, func(m *clusterv1.MachineHealthCheck) { m.Spec.Selector = selector })
	g.Eventually(reason, patience).Should(Equal(verdict.ReasonNodeNotFound), "it selects the Machine again")

	change(f, f.machine, func(m *clusterv1.Machine) { build.Annotation(clusterv1.RemediateMachineAnnotation, "")(m) })
	g.Eventually(reason, patience).Should(Equal(verdict.ReasonRemediateAnnotation), "the Machine is annotated")
}

// manage runs the Reconciler in a manager, for the namespace of the harness.
func (f *harness) manage() {
	f.t.Helper()
	r := &Reconciler{Observer: f.Observer, Recorder: f.events}
	f.env.Manager(f.t, env.ManagerOptions{
		Namespaces: []string{f.machine.Namespace},
		Configure:  func(o *ctrl.Options) { o.Cache.DefaultTransform = ownwrites.KeepOurManagedFields },
		Setup: func(mgr ctrl.Manager) error {
			if err := mhcspec.AddIndexes(f.t.Context(), mgr.GetFieldIndexer()); err != nil {
				return err
			}
			return r.AddToManager(mgr)
		},
	})
}

// reason returns the reason of the stored verdict; empty if there is none.
func (f *harness) reason() string {
	f.t.Helper()
	machine := &clusterv1.Machine{}
	if err := f.env.Client.Get(f.t.Context(), client.ObjectKeyFromObject(f.machine), machine); err != nil {
		f.t.Fatal(err)
	}
	if c := meta.FindStatusCondition(machine.Status.Conditions, verdict.ConditionType); c != nil && c.Status != metav1.ConditionTrue {
		return c.Reason
	}
	return ""
}
