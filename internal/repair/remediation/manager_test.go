package remediation

import (
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/machinehealthcheck"
	"github.com/sickbay-dev/sickbay/internal/repair/slots"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/live"
	"github.com/sickbay-dev/sickbay/internal/testing/objects"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// patience is far above what an event takes. There is no sync period in these tests, so nothing but events can be the cause
// of what happens.
const patience = 30 * time.Second

// running is a harness in which the three controllers run in a manager, with the cache, the transform and the indexes of the
// real one.
type running struct {
	*harness
	*WithT
}

func newRunning(t *testing.T, opts ...build.MachineHealthCheckOption) running {
	t.Helper()
	f := newHarness(t, append([]build.MachineHealthCheckOption{build.UnhealthyMachineCondition("Disk", metav1.ConditionFalse, 0)}, opts...)...)
	f.env.Manager(t, env.ManagerOptions{
		Namespaces: []string{f.ns},
		Configure:  func(o *ctrl.Options) { o.Cache.DefaultTransform = ownwrites.KeepOurManagedFields },
		Setup:      func(mgr ctrl.Manager) error { return f.addAll(mgr, f.nodes, 4) },
	})
	g := NewWithT(t)
	g.SetDefaultEventuallyTimeout(patience)
	return running{f, g}
}

// addAll adds the controllers as the program does. So many repairs are carried out at once.
func (f *harness) addAll(mgr ctrl.Manager, nodes workload.Nodes, repairs int) error {
	ctx := log.IntoContext(f.t.Context(), mgr.GetLogger())
	if err := mhcspec.AddTo(ctx, mgr.GetFieldIndexer(), slices.Concat(mhcspec.Indexes(), recordstore.Indexes())); err != nil {
		return err
	}
	selectors := &mhcspec.Selectors{}
	observer := &machinehealth.Observer{
		Nodes: nodes, GracePeriod: 5 * time.Minute, Hosts: &machinehealth.Hosts{Client: mgr.GetClient(), Live: mgr.GetAPIReader()},
	}
	if err := observer.Hosts.Appeared(ctx, mgr.GetFieldIndexer()); err != nil {
		return err
	}
	judge := &machinehealth.Reconciler{Observer: observer, Selectors: selectors, Concurrency: 4}
	if err := judge.AddToManager(mgr); err != nil {
		return err
	}
	counts := slots.Reader{Cache: mgr.GetClient(), Live: mgr.GetAPIReader(), Observer: observer, Selectors: selectors, Clock: clock.RealClock{}}
	admit := &machinehealthcheck.Reconciler{Reader: machinehealthcheck.Reader{Reader: counts}, Concurrency: 4}
	if err := admit.AddToManager(mgr); err != nil {
		return err
	}
	repair := &Reconciler{Reader: Reader{Reader: counts, Gatekeeper: &slots.Gatekeeper{Reader: counts}}, Concurrency: repairs}
	return repair.AddToManager(ctx, mgr)
}

// well stores a Machine whose disk and Node are well.
func (r running) well(name string, opts ...build.MachineOption) *clusterv1.Machine {
	r.t.Helper()
	r.nodes.Put(r.clusterKey(), build.Node(name))
	machine := build.Machine(r.ns, name, append([]build.MachineOption{
		build.OwnedBy(r.set), build.NodeRef(name), build.Condition("Disk", metav1.ConditionTrue, "Fine", build.Epoch),
	}, opts...)...)
	build.Create(r.t.Context(), r.t, r.env.Client, machine)
	return machine
}

// disk breaks the disk of a Machine, or mends it.
func (r running) disk(machine *clusterv1.Machine, status metav1.ConditionStatus) {
	r.t.Helper()
	changeStatus(r.harness, machine, func(m *clusterv1.Machine) {
		meta.SetStatusCondition(&m.Status.Conditions, metav1.Condition{Type: "Disk", Status: status, Reason: "Test"})
	})
}

// says returns the summaries of the records of a machine, one after the other.
func (r running) says(machine string) func() string {
	return func() string {
		list := objects.List(r.t, r.env.Client, &v1alpha1.MachineRemediationList{}, r.ns)
		var all []string
		for i := range list.Items {
			if record := &list.Items[i]; record.Spec.MachineRef.Name == machine {
				all = append(all, r.summary(record))
			}
		}
		slices.Sort(all)
		return strings.Join(all, "; ")
	}
}

func (r running) asked() []string { return r.standing() }

// TestManagerReplacement from the fault to the end, and the slot goes on to the next.
func TestManagerReplacement(t *testing.T) {
	t.Parallel()
	r := newRunning(t, build.Annotation("sickbay.dev/max-in-flight", "1"))
	a, b := r.well("a"), r.well("b")
	r.disk(a, metav1.ConditionFalse)
	r.Eventually(r.asked).Should(Equal([]string{"a: mark"}))
	r.Eventually(r.says("a")).Should(Equal(acting))
	r.disk(b, metav1.ConditionFalse)
	r.answer(a, clusterv1.MachineSetMachineRemediationDeferredReason, "one at a time")
	r.Eventually(func() string {
		got, _ := stored(r.harness, r.recordOf("a"))
		return ladder.Progress(&got.Status).Message
	}).Should(Equal("MachineSet set says: one at a time"))
	r.goes(a)
	r.Eventually(r.says("a")).Should(Equal("Ended Ended Replaced replace:Succeeded"))
	r.Eventually(r.asked).Should(Equal([]string{"b: mark"}), "the slot is free again")
	r.Eventually(func() bool {
		got, _ := stored(r.harness, r.recordOf("a"))
		return closed(got)
	}).Should(BeTrue())

	r.disk(b, metav1.ConditionTrue)
	r.Eventually(r.asked).Should(BeEmpty(), "the machine is healthy again")
	r.Eventually(r.says("b")).Should(Equal("Ended Ended RecoveredUnaided replace:NotBegun"))
}

// TestManagerRequest: the controller notices what becomes of requests.
func TestManagerRequest(t *testing.T) {
	t.Parallel()
	r := newRunning(t, byTemplate())
	r.template()
	a, b := r.well("a"), r.well("b")
	r.disk(a, metav1.ConditionFalse)
	r.disk(b, metav1.ConditionFalse)
	r.Eventually(r.asked).Should(Equal([]string{"FixRemediation a", "FixRemediation b"}))
	r.Eventually(r.says("b")).Should(Equal("Acting Acting request:-"))
	request := r.objects(fixKind)[1]
	remove(r.harness, &request)
	r.Eventually(r.says("b")).Should(Equal("Held NoStepLeft request:Failed"), "somebody has deleted it")

	request = r.objects(fixKind)[0]
	change(r.harness, &request, func(u *unstructured.Unstructured) { u.SetFinalizers([]string{keep}) })
	r.disk(a, metav1.ConditionTrue)
	r.Eventually(r.says("a")).Should(Equal("Acting Withdrawing request:-"))
	change(r.harness, &request, func(u *unstructured.Unstructured) { u.SetFinalizers(nil) })
	r.Eventually(r.says("a")).Should(Equal("Ended Ended Recovered request:Succeeded"))
}

// TestManagerPause: each pause stops a record, and its end has it go on.
func TestManagerPause(t *testing.T) {
	t.Parallel()
	r := newRunning(t, build.TemplateRef(v1alpha1.GroupVersion.WithKind("MachineRemediationTemplate"), "plan"))
	plan := r.storePlan([]v1alpha1.RemediationStep{step(v1alpha1.ActionWait)})
	a := r.well("a")
	r.disk(a, metav1.ConditionFalse)
	r.Eventually(r.says("a")).Should(Equal("Acting Acting wait:-"))
	mode := func(mode v1alpha1.PlanMode) {
		change(r.harness, plan, func(p *v1alpha1.MachineRemediationTemplate) { p.Spec.Template.Spec.Mode = mode })
	}
	for name, pause := range map[string]struct{ on, off func() }{
		"cluster": {func() { setPaused(r.harness, true) }, func() { setPaused(r.harness, false) }},
		"check":   {func() { annotate(r.harness, r.mhc, clusterv1.PausedAnnotation, "") }, func() { unannotate(r.harness, r.mhc, clusterv1.PausedAnnotation) }},
		"machine": {func() { annotate(r.harness, a, clusterv1.PausedAnnotation, "") }, func() { unannotate(r.harness, a, clusterv1.PausedAnnotation) }},
		"plan":    {func() { mode(v1alpha1.ModeObserve) }, func() { mode(v1alpha1.ModeAct) }},
	} {
		pause.on()
		r.Eventually(r.says("a")).Should(Equal("Acting Paused wait:-"), name)
		pause.off()
		r.Eventually(r.says("a")).Should(Equal("Acting Acting wait:-"), name)
	}
}

// TestManagerHost: a person who begins or ceases to keep a host wakes the record of its machine.
func TestManagerHost(t *testing.T) {
	t.Parallel()
	r := newRunning(t, byReboot())
	a := r.well("a")
	host := r.hostOf(a)
	r.disk(a, metav1.ConditionFalse)
	r.Eventually(r.says("a")).Should(Equal("Acting Acting reboot:-"))
	change(r.harness, host, keeps["switched off"])
	r.Eventually(r.says("a")).Should(Equal("Pending HeldByOthers reboot:NotBegun"))
	r.Eventually(r.asked).Should(BeEmpty())
	change(r.harness, host, lets)
	r.Eventually(r.says("a")).Should(Equal("Pending Backoff reboot:NotBegun"), "the Node has the time of a boot")
}

// TestManagerApproval: a person approves, a slot is granted, and the step acts; its successor is waited for.
func TestManagerApproval(t *testing.T) {
	t.Parallel()
	r := newRunning(t, build.TemplateRef(v1alpha1.GroupVersion.WithKind("MachineRemediationTemplate"), "plan"))
	plan := r.storePlan([]v1alpha1.RemediationStep{step(v1alpha1.ActionReplace, func(s *v1alpha1.RemediationStep) { s.Approval = v1alpha1.ApprovalRequired })})
	r.Eventually(func() bool {
		got, _ := stored(r.harness, plan)
		return meta.IsStatusConditionTrue(got.Status.Conditions, v1alpha1.ConditionAccepted)
	}).Should(BeTrue())
	a := r.well("a")
	r.disk(a, metav1.ConditionFalse)
	r.Eventually(r.says("a")).Should(Equal("Pending ApprovalRequired"))
	record := r.recordOf("a")
	change(r.harness, record, func(m *v1alpha1.MachineRemediation) {
		m.Spec.Decision = &v1alpha1.RemediationDecision{Attempt: 1, Answer: v1alpha1.AnswerApprove, By: "a person"}
	})
	r.Eventually(r.says("a")).Should(Equal(acting))
	r.goes(a)
	r.Eventually(r.says("a")).Should(Equal("Acting WaitingForReplacement replace:-"))
	b := r.well("b")
	r.Eventually(r.says("a")).Should(Equal("Probation Probation replace:-"))
	r.disk(b, metav1.ConditionFalse)
	r.Eventually(r.says("a")).Should(Equal("Ended Ended ReplacementFailed replace:Failed"))
	r.Eventually(r.says("b")).Should(Equal("Held NoStepLeft"), "the chain has used up the one attempt")
}

// TestOnlyKindsWithTemplatesAreWatched: a plan with a step that names a LeaseTemplate, which does not exist, does not make Sickbay watch all
// Leases.
func TestOnlyKindsWithTemplatesAreWatched(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	for kind, want := range map[schema.GroupVersionKind]int{
		env.RemediationGroupVersion.WithKind(env.RemediationKind): 1, coordinationv1.SchemeGroupVersion.WithKind("Lease"): 0,
	} {
		ctl := &live.Controller{}
		f.watches = scaffold.Watches{Controller: ctl, Mapper: f.Client.RESTMapper()}
		for range 2 {
			if err := f.watchKind(t.Context(), kind); err != nil {
				t.Errorf("%s: %v", kind.Kind, err)
			}
		}
		if ctl.Watches != want {
			t.Errorf("%s: %d watches begin, want %d", kind.Kind, ctl.Watches, want)
		}
	}
}
