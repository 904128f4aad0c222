package machinehealthcheck

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/status"
	"github.com/sickbay-dev/sickbay/internal/targets"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// patience is far above what an event takes. There is no sync period in these tests, so nothing but
// events can be the cause of what happens.
const patience = 30 * time.Second

// hospital is a ward in which both controllers run in a manager, with the cache, the transform and the
// indexes of the real one.
type hospital struct {
	*ward
	*WithT
	t *testing.T
	// running is the Reconciler in the manager; that of the ward does nothing.
	running *Reconciler
}

func newHospital(t *testing.T) hospital {
	t.Helper()
	w := newWard(t)
	observer := &machinehealth.Observer{Nodes: w.nodes, GracePeriod: 5 * time.Minute}
	judge := &machinehealth.Reconciler{Observer: observer, Concurrency: 4}
	act := &Reconciler{Observer: observer, Concurrency: 4}
	w.env.Manager(t, env.ManagerOptions{
		Namespaces: []string{w.ns},
		Configure:  func(o *ctrl.Options) { o.Cache.DefaultTransform = status.KeepOurManagedFields },
		Setup: func(mgr ctrl.Manager) error {
			if err := targets.AddIndexes(log.IntoContext(t.Context(), mgr.GetLogger()), mgr.GetFieldIndexer()); err != nil {
				return err
			}
			if err := judge.AddToManager(mgr); err != nil {
				return err
			}
			return act.AddToManager(mgr)
		},
	})
	g := NewWithT(t)
	g.SetDefaultEventuallyTimeout(patience)
	return hospital{w, g, t, act}
}

// diskRule makes a Machine sick as soon as its disk is broken.
func diskRule() build.MachineHealthCheckOption {
	return build.UnhealthyMachineCondition("Disk", metav1.ConditionFalse, 0)
}

// admit stores a Machine whose disk and Node are well.
func (h hospital) admit(name string, opts ...build.MachineOption) *clusterv1.Machine {
	h.t.Helper()
	h.fitNode(name, metav1.ConditionTrue)
	disk := build.Condition("Disk", metav1.ConditionTrue, "Fine", build.Epoch)
	return h.machine(h.t, name, append([]build.MachineOption{build.NodeRef(name), disk}, opts...)...)
}

// disk breaks the disk of a Machine, or mends it.
func (h hospital) disk(machine *clusterv1.Machine, status metav1.ConditionStatus) {
	h.t.Helper()
	changeStatus(h.t, h.ward, machine, func(m *clusterv1.Machine) {
		meta.SetStatusCondition(&m.Status.Conditions, metav1.Condition{Type: "Disk", Status: status, Reason: "Test"})
	})
}

// verdictOn returns the stored verdict on a Machine.
func (h hospital) verdictOn(machine *clusterv1.Machine) func() metav1.ConditionStatus {
	return func() metav1.ConditionStatus {
		stored, _ := fetch(h.t, h.ward, machine)
		if c := meta.FindStatusCondition(stored.Status.Conditions, machinehealth.ConditionType); c != nil {
			return c.Status
		}
		return ""
	}
}

// says returns the message of RemediationAllowed.
func (h hospital) says(mhc *clusterv1.MachineHealthCheck) func() string {
	return func() string {
		stored, _ := fetch(h.t, h.ward, mhc)
		if c := meta.FindStatusCondition(stored.Status.Conditions, ConditionRemediationAllowed); c != nil {
			return c.Message
		}
		return ""
	}
}

// cacheIsBehind tells whether a remedy was applied that the cache does not show yet. One that goes
// before the cache has shown it counts as in flight for a while.
func (h hospital) cacheIsBehind(mhc *clusterv1.MachineHealthCheck) func() bool {
	return func() bool {
		acted := &h.running.acted
		acted.mu.Lock()
		defer acted.mu.Unlock()
		return len(acted.at[client.ObjectKeyFromObject(mhc)]) > 0
	}
}

// whatIsTreated returns which remedies stand.
func (h hospital) whatIsTreated() []string { return h.treated(h.t) }

// counts returns expected and healthy Machines of a MachineHealthCheck, as stored.
func (h hospital) counts(mhc *clusterv1.MachineHealthCheck) func() [2]int32 {
	return func() [2]int32 {
		stored, _ := fetch(h.t, h.ward, mhc)
		if stored.Status.ExpectedMachines == nil {
			return [2]int32{-1, -1}
		}
		return [2]int32{*stored.Status.ExpectedMachines, *stored.Status.CurrentHealthy}
	}
}

func TestManagerSickness(t *testing.T) {
	t.Parallel()
	h := newHospital(t)
	a := h.admit("a")
	b := h.admit("b")
	mhc := h.check(t, diskRule(), maxInFlight("1"))
	h.Eventually(h.counts(mhc)).Should(Equal([2]int32{2, 2}))

	h.disk(a, metav1.ConditionFalse)
	h.Eventually(h.whatIsTreated).Should(Equal([]string{"a: owner"}))
	h.disk(b, metav1.ConditionFalse)
	h.Eventually(h.counts(mhc)).Should(Equal([2]int32{2, 0}))
	h.wantTreated(t, "a: owner")

	h.disk(a, metav1.ConditionTrue)
	h.Eventually(h.whatIsTreated).Should(Equal([]string{"a: owner", "b: owner"}), "the place in the budget is free again")
	remove(t, h.ward, b)
	h.Eventually(h.counts(mhc)).Should(Equal([2]int32{1, 1}))
}

func TestManagerTemplate(t *testing.T) {
	t.Parallel()
	h := newHospital(t)
	a := h.admit("a")
	mhc := h.check(t, diskRule(), byTemplate(), maxInFlight("1"))
	h.disk(a, metav1.ConditionFalse)
	h.Eventually(h.counts(mhc)).Should(Equal([2]int32{1, 0}))
	h.wantTreated(t)

	template := h.template(t)
	h.Eventually(h.whatIsTreated).WithTimeout(templateRetry/2).Should(Equal([]string{"a: request"}), "the template has come")
	h.Eventually(h.says(mhc)).Should(ContainSubstring("1 of at most 1 remediations in flight"))
	h.Eventually(h.cacheIsBehind(mhc)).Should(BeFalse())
	request := h.requests(t)[0]
	remove(t, h.ward, &request)
	h.Eventually(func() bool {
		again := h.requests(t)
		return len(again) == 1 && again[0].GetUID() != request.GetUID()
	}).Should(BeTrue(), "the request was deleted by somebody else")

	h.disk(a, metav1.ConditionTrue)
	h.Eventually(h.whatIsTreated).Should(BeEmpty(), "the machine is healthy again")
	remove(t, h.ward, template)
	h.Eventually(func() metav1.ConditionStatus {
		stored, _ := fetch(t, h.ward, mhc)
		return meta.FindStatusCondition(stored.Status.Conditions, ConditionTemplateAvailable).Status
	}).Should(Equal(metav1.ConditionFalse), "the template is gone")
}

func TestManagerPause(t *testing.T) {
	t.Parallel()
	h := newHospital(t)
	a := h.admit("a")
	mhc := h.check(t, diskRule())
	h.Eventually(h.verdictOn(a)).Should(Equal(metav1.ConditionTrue))
	paused := func() metav1.ConditionStatus {
		stored, _ := fetch(t, h.ward, mhc)
		if c := meta.FindStatusCondition(stored.Status.Conditions, ConditionPaused); c != nil {
			return c.Status
		}
		return ""
	}
	for _, pause := range []struct{ on, off func() }{
		{func() { annotate(t, h.ward, mhc, clusterv1.PausedAnnotation, "") }, func() { unannotate(t, h.ward, mhc, clusterv1.PausedAnnotation) }},
		{func() { setPaused(t, h.ward, true) }, func() { setPaused(t, h.ward, false) }},
	} {
		h.Eventually(paused).Should(Equal(metav1.ConditionFalse))
		pause.on()
		h.Eventually(paused).Should(Equal(metav1.ConditionTrue))
		pause.off()
	}
	h.Eventually(paused).Should(Equal(metav1.ConditionFalse))

	annotate(t, h.ward, mhc, clusterv1.PausedAnnotation, "")
	h.Eventually(paused).Should(Equal(metav1.ConditionTrue))
	h.disk(a, metav1.ConditionFalse)
	h.Consistently(h.whatIsTreated).WithTimeout(200 * time.Millisecond).Should(BeEmpty())
	unannotate(t, h.ward, mhc, clusterv1.PausedAnnotation)
	h.Eventually(h.whatIsTreated).Should(Equal([]string{"a: owner"}))
}

func TestManagerSiblings(t *testing.T) {
	t.Parallel()
	h := newHospital(t)
	named := func(name string) build.MachineHealthCheckFunc {
		return func(mhc *clusterv1.MachineHealthCheck) { mhc.Name = name }
	}
	h.admit("a")
	older := h.check(t, named("older"), diskRule())
	h.Eventually(h.counts(older)).Should(Equal([2]int32{1, 1}))
	younger := h.check(t, named("younger"), diskRule(), maxInFlight("1"))
	h.Eventually(h.counts(younger)).Should(Equal([2]int32{0, 0}))

	remove(t, h.ward, older)
	h.Eventually(h.counts(younger)).Should(Equal([2]int32{1, 1}), "the machines move over")
}
