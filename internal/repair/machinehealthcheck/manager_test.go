package machinehealthcheck

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/slots"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// patience is far above what an event takes. There is no sync period in these tests, so nothing but
// events can be the cause of what happens.
const patience = 30 * time.Second

// running is a harness in which both controllers run in a manager, with the cache, the transform and the
// indexes of the real one.
type running struct {
	*harness
	*WithT
	t *testing.T
	// inManager is the Reconciler in the manager; that of the harness does nothing.
	inManager *Reconciler
	objects   cache.Cache
}

func newRunning(t *testing.T, opts ...func(*Reconciler)) running {
	t.Helper()
	w := newHarness(t)
	observer := &machinehealth.Observer{Nodes: w.nodes, GracePeriod: 5 * time.Minute}
	judge := &machinehealth.Reconciler{Observer: observer, Concurrency: 4}
	act := &Reconciler{Reader: Reader{Reader: slots.Reader{Observer: observer}}, Concurrency: 4}
	for _, opt := range opts {
		opt(act)
	}
	var objects cache.Cache
	w.env.Manager(t, env.ManagerOptions{
		Namespaces: []string{w.ns},
		Configure:  func(o *ctrl.Options) { o.Cache.DefaultTransform = ownwrites.KeepOurManagedFields },
		Setup: func(mgr ctrl.Manager) error {
			objects = mgr.GetCache()
			indexes := slices.Concat(mhcspec.Indexes(), recordstore.Indexes())
			if err := mhcspec.AddTo(log.IntoContext(t.Context(), mgr.GetLogger()), mgr.GetFieldIndexer(), indexes); err != nil {
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
	return running{w, g, t, act, objects}
}

// diskRule makes a Machine sick as soon as its disk is broken.
func diskRule() build.MachineHealthCheckOption {
	return build.UnhealthyMachineCondition("Disk", metav1.ConditionFalse, 0)
}

// admit stores a Machine whose disk and Node are well.
func (h running) admit(name string, opts ...build.MachineOption) *clusterv1.Machine {
	h.t.Helper()
	h.fitNode(name, metav1.ConditionTrue)
	disk := build.Condition("Disk", metav1.ConditionTrue, "Fine", build.Epoch)
	return h.machine(h.t, name, append([]build.MachineOption{build.NodeRef(name), disk}, opts...)...)
}

// disk breaks the disk of a Machine, or mends it.
func (h running) disk(machine *clusterv1.Machine, status metav1.ConditionStatus) {
	h.t.Helper()
	changeStatus(h.t, h.harness, machine, func(m *clusterv1.Machine) {
		meta.SetStatusCondition(&m.Status.Conditions, metav1.Condition{Type: "Disk", Status: status, Reason: "Test"})
	})
}

// verdictOn returns the stored verdict on a Machine.
func (h running) verdictOn(machine *clusterv1.Machine) func() metav1.ConditionStatus {
	return func() metav1.ConditionStatus {
		latest, _ := stored(h.t, h.harness, machine)
		if c := meta.FindStatusCondition(latest.Status.Conditions, verdict.ConditionType); c != nil {
			return c.Status
		}
		return ""
	}
}

// says returns the message of RemediationAllowed.
func (h running) says(mhc *clusterv1.MachineHealthCheck) func() string {
	return func() string {
		latest, _ := stored(h.t, h.harness, mhc)
		if c := meta.FindStatusCondition(latest.Status.Conditions, admission.ConditionRemediationAllowed); c != nil {
			return c.Message
		}
		return ""
	}
}

// whoIsAdmitted returns which Machines have an open record with a slot.
func (h running) whoIsAdmitted() []string { return h.admitted(h.t) }

// counts returns expected and healthy Machines of a MachineHealthCheck, as stored.
func (h running) counts(mhc *clusterv1.MachineHealthCheck) func() [2]int32 {
	return func() [2]int32 {
		latest, _ := stored(h.t, h.harness, mhc)
		if latest.Status.ExpectedMachines == nil {
			return [2]int32{-1, -1}
		}
		return [2]int32{*latest.Status.ExpectedMachines, *latest.Status.CurrentHealthy}
	}
}

// TestManagerGrant: a record that wants a slot gets it when its time has come, without any event.
func TestManagerGrant(t *testing.T) {
	t.Parallel()
	h := newRunning(t)
	a := h.admit("a")
	h.check(t, diskRule())
	h.disk(a, metav1.ConditionFalse)
	h.Eventually(h.whoIsAdmitted).Should(Equal([]string{"a: replace"}))
	changeStatus(t, h.harness, h.recordOf(t, a), func(r *v1alpha1.MachineRemediation) {
		at := metav1.NewTime(time.Now().Add(2 * time.Second))
		r.Status.Attempt, r.Status.Step, r.Status.ReleasedGrant, r.Status.NextTransitionTime = 1, admission.StepReplace, 1, &at
		r.Status.SlotWanted = true
	})
	h.Eventually(h.whoIsAdmitted).Should(BeEmpty())
	h.Eventually(h.whoIsAdmitted).Should(Equal([]string{"a: replace"}))
	if got := h.recordOf(t, a).Spec.Grant; got != 2 {
		t.Errorf("grant is %d, want 2", got)
	}
}

// TestManagerRecordIsDeleted: who deletes a record starts over.
func TestManagerRecordIsDeleted(t *testing.T) {
	t.Parallel()
	h := newRunning(t)
	a := h.admit("a")
	h.check(t, diskRule())
	h.disk(a, metav1.ConditionFalse)
	h.Eventually(h.whoIsAdmitted).Should(Equal([]string{"a: replace"}))
	first := h.recordOf(t, a)
	change(t, h.harness, first, func(r *v1alpha1.MachineRemediation) { r.Finalizers = nil })
	remove(t, h.harness, first)
	h.Eventually(func() bool {
		all := h.records(t)
		return len(all) == 1 && all[0].UID != first.UID
	}).Should(BeTrue())
}

// TestManagerKindsAppear: without the kinds there are verdicts only; with them, the sick are admitted.
func TestManagerKindsAppear(t *testing.T) {
	t.Parallel()
	var installed atomic.Bool
	h := newRunning(t, func(r *Reconciler) { r.RecordsInstalled = installed.Load })
	a := h.admit("a")
	mhc := h.check(t, diskRule())
	h.disk(a, metav1.ConditionFalse)
	h.Eventually(h.says(mhc)).Should(HaveSuffix("sickbay crds | kubectl apply -f - installs it; 1 waits: a"))
	h.wantAdmitted(t)
	installed.Store(true)
	for range 2 {
		h.Expect(h.inManager.RecordsAppeared()).To(Succeed())
	}
	h.Eventually(h.whoIsAdmitted).Should(Equal([]string{"a: replace"}))
	h.end(t, a)
	h.Eventually(func() int { return len(h.records(t)) }).Should(Equal(2), "records are watched, and a is sick still")
}

// TestManagerHold: a hold on the Cluster is noticed when it comes and when it goes.
func TestManagerHold(t *testing.T) {
	t.Parallel()
	h := newRunning(t)
	a := h.admit("a")
	mhc := h.check(t, diskRule())
	h.Eventually(h.counts(mhc)).Should(Equal([2]int32{1, 1}))
	annotate(t, h.harness, h.cluster, mhcspec.HoldUntilAnnotation, "2222-01-01T00:00:00Z")
	h.Eventually(h.says(mhc)).Should(Equal("Nothing is repaired: Cluster cluster is on hold until 2222-01-01T00:00:00Z"))
	h.disk(a, metav1.ConditionFalse)
	h.Eventually(h.says(mhc)).Should(HaveSuffix("; 1 waits: a"))
	h.wantAdmitted(t)
	unannotate(t, h.harness, h.cluster, mhcspec.HoldUntilAnnotation)
	h.Eventually(h.whoIsAdmitted).Should(Equal([]string{"a: replace"}))
}

func TestManagerPause(t *testing.T) {
	t.Parallel()
	h := newRunning(t)
	a := h.admit("a")
	mhc := h.check(t, diskRule())
	h.Eventually(h.verdictOn(a)).Should(Equal(metav1.ConditionTrue))
	paused := func() metav1.ConditionStatus {
		latest, _ := stored(t, h.harness, mhc)
		if c := meta.FindStatusCondition(latest.Status.Conditions, admission.ConditionPaused); c != nil {
			return c.Status
		}
		return ""
	}
	for _, pause := range []struct{ on, off func() }{
		{func() { annotate(t, h.harness, mhc, clusterv1.PausedAnnotation, "") }, func() { unannotate(t, h.harness, mhc, clusterv1.PausedAnnotation) }},
		{func() { setPaused(t, h.harness, true) }, func() { setPaused(t, h.harness, false) }},
	} {
		h.Eventually(paused).Should(Equal(metav1.ConditionFalse))
		pause.on()
		h.Eventually(paused).Should(Equal(metav1.ConditionTrue))
		pause.off()
	}
	h.Eventually(paused).Should(Equal(metav1.ConditionFalse))

	annotate(t, h.harness, mhc, clusterv1.PausedAnnotation, "")
	h.Eventually(paused).Should(Equal(metav1.ConditionTrue))
	h.disk(a, metav1.ConditionFalse)
	h.Consistently(h.whoIsAdmitted).WithTimeout(200 * time.Millisecond).Should(BeEmpty())
	unannotate(t, h.harness, mhc, clusterv1.PausedAnnotation)
	h.Eventually(h.whoIsAdmitted).Should(Equal([]string{"a: replace"}))
}

func TestManagerSiblings(t *testing.T) {
	t.Parallel()
	h := newRunning(t)
	a := h.admit("a")
	older := h.check(t, named("older"), diskRule())
	h.Eventually(h.counts(older)).Should(Equal([2]int32{1, 1}))
	annotate(t, h.harness, older, mhcspec.DryRunAnnotation, "true")
	younger := h.check(t, named("younger"), diskRule(), maxInFlight("1"))
	h.Eventually(h.counts(younger)).Should(Equal([2]int32{1, 1}))
	h.disk(a, metav1.ConditionFalse)
	h.Eventually(h.whoIsAdmitted).Should(Equal([]string{"a: replace"}), "the older one only reports")
	if by := h.records(t)[0].Spec.HealthCheckRef.Name; by != younger.Name {
		t.Errorf("it is repaired for %s", by)
	}
	h.Eventually(h.says(older)).Should(HaveSuffix("; 1 is repaired for another MachineHealthCheck that selects it: a"))
}
