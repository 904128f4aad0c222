package journal

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

func machine(uid types.UID, conditions ...metav1.Condition) *clusterv1.Machine {
	return &clusterv1.Machine{
		ObjectMeta: metav1.ObjectMeta{Name: "m", UID: uid},
		Status:     clusterv1.MachineStatus{Conditions: conditions},
	}
}

func verdict(status metav1.ConditionStatus, reason string) metav1.Condition {
	return metav1.Condition{Type: clusterv1.MachineHealthCheckSucceededCondition, Status: status, Reason: reason}
}

func TestAStateThatHasPassedIsFound(t *testing.T) {
	g := NewWithT(t)
	j := newJournal()
	events := handler(j.write)
	sick := machine("1", verdict(metav1.ConditionFalse, "NodeNotFound"))
	events.OnAdd(machine("1"), true)
	events.OnUpdate(machine("1"), sick)
	events.OnUpdate(sick, machine("1", verdict(metav1.ConditionTrue, "Succeeded")))

	entry, err := j.Machine(t.Context(), "1", "the verdict", HasVerdict(metav1.ConditionFalse, ""))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(entry.Object).To(Equal(sick))
	entry.Object.SetName("changed by the test that asked for it")
	g.Expect(sick.Name).To(Equal("m"), "other tests read it")
	_, found := j.Find(func(e Entry) bool { return HasVerdict(metav1.ConditionFalse, "Else")(e.Object.(*clusterv1.Machine)) })
	g.Expect(found).To(BeFalse())
}

func TestAwaitWakesUp(t *testing.T) {
	g := NewWithT(t)
	j := newJournal()
	events := handler(j.write)
	events.OnAdd(machine("0"), true)
	looking := make(chan struct{}, 8)
	go func() {
		<-looking // at the first entry: from now on it waits, or is about to
		events.OnAdd(machine("2"), false)
		events.OnDelete(machine("1"))
	}()
	entry, err := j.Await(t.Context(), "the end", func(e Entry) bool {
		looking <- struct{}{}
		return e.Gone
	})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(entry.Object.GetUID()).To(BeEquivalentTo("1"))
	g.Expect(entry.At).NotTo(BeZero())
}

func TestADeletionThatWasMissed(t *testing.T) {
	g := NewWithT(t)
	j := newJournal()
	handler(j.write).OnDelete(toolscache.DeletedFinalStateUnknown{Key: "default/m", Obj: machine("1")})
	handler(j.write).OnDelete("what is no object")
	_, err := j.Gone(t.Context(), "1", "the end")
	g.Expect(err).NotTo(HaveOccurred())
}

func TestAwaitSaysWhatItWaitedFor(t *testing.T) {
	g := NewWithT(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := newJournal().Gone(ctx, "1", "the end of machine m")
	g.Expect(err).To(MatchError("waiting for the end of machine m: context canceled"))
}

func TestMachineHealthChecksAreFoundByName(t *testing.T) {
	g := NewWithT(t)
	j := newJournal()
	mhc := &clusterv1.MachineHealthCheck{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a"}}
	handler(j.write).OnAdd(machine("1"), true)
	handler(j.write).OnAdd(mhc, true)
	entry, err := j.MachineHealthCheck(t.Context(), client.ObjectKeyFromObject(mhc), "a", func(*clusterv1.MachineHealthCheck) bool { return true })
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(entry.Object).To(Equal(mhc))
}

func TestStates(t *testing.T) {
	g := NewWithT(t)
	mark := metav1.Condition{Type: clusterv1.MachineOwnerRemediatedCondition, Status: metav1.ConditionFalse}
	g.Expect(Marked(machine("1"))).To(BeFalse())
	g.Expect(Marked(machine("1", mark))).To(BeTrue())
	leaving := machine("1")
	g.Expect(Deleting(leaving)).To(BeFalse())
	leaving.DeletionTimestamp = new(metav1.Now())
	g.Expect(Deleting(leaving)).To(BeTrue())
	g.Expect(HasVerdict(metav1.ConditionTrue, "")(machine("1"))).To(BeFalse())
}

func TestRecords(t *testing.T) {
	g := NewWithT(t)
	j := newJournal()
	record := func(uid, machine types.UID, phase v1alpha1.RemediationPhase, conditions ...metav1.Condition) *v1alpha1.MachineRemediation {
		r := &v1alpha1.MachineRemediation{ObjectMeta: metav1.ObjectMeta{UID: uid}}
		r.Spec.MachineRef.UID = machine
		r.Status.Phase, r.Status.Conditions = phase, conditions
		return r
	}
	first := record("r1", "1", v1alpha1.RemediationPending)
	acting := record("r1", "1", v1alpha1.RemediationActing, metav1.Condition{Type: v1alpha1.ConditionProgressing, Reason: v1alpha1.ReasonActing})
	ended := record("r2", "1", v1alpha1.RemediationEnded, metav1.Condition{Type: v1alpha1.ConditionSucceeded, Reason: v1alpha1.ReasonReplaced})
	for _, object := range []client.Object{machine("1"), first, record("r3", "2", v1alpha1.RemediationActing), ended, acting} {
		handler(j.write).OnAdd(object, true)
	}
	entry, err := j.Record(t.Context(), "1", "the attempt", InPhase(v1alpha1.RemediationActing, v1alpha1.ReasonActing))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(entry.Object).To(Equal(acting))
	g.Expect(j.Records("1")).To(HaveExactElements(Equal(acting), Equal(ended)))
	g.Expect(j.Records("3")).To(BeEmpty())

	g.Expect(InPhase(v1alpha1.RemediationActing, v1alpha1.ReasonWithdrawing)(acting)).To(BeFalse())
	g.Expect(InPhase(v1alpha1.RemediationPending, "")(first)).To(BeTrue())
	g.Expect(Progress(first)).To(BeZero())
	g.Expect(EndedAs(v1alpha1.ReasonReplaced)(ended)).To(BeFalse(), "it has not ended without the time of its end")
	ended.Status.CompletionTime = new(metav1.Now())
	g.Expect(EndedAs(v1alpha1.ReasonReplaced)(ended)).To(BeTrue())
	g.Expect(EndedAs(v1alpha1.ReasonRecovered)(ended)).To(BeFalse())
}

// A busy computer sees a RebootRemediation late: its first state that is seen is already in a phase.
func TestRequestThatIsSeenInAPhase(t *testing.T) {
	g := NewWithT(t)
	j := newJournal()
	request := func(phase v1alpha1.Phase) *v1alpha1.RebootRemediation {
		r := &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{{UID: "1"}}}}
		r.Status.Phase = phase
		return r
	}
	in := func(phase v1alpha1.Phase) func(*v1alpha1.RebootRemediation) bool {
		return func(r *v1alpha1.RebootRemediation) bool { return phase == "" || r.Status.Phase == phase }
	}
	off, fenced := request(v1alpha1.PoweringOff), request(v1alpha1.Fenced)
	for _, object := range []client.Object{off, machine("1"), fenced} {
		handler(j.write).OnAdd(object, true)
	}
	// What has been seen is found at once.
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	made, err := j.Request(ctx, machine("1"), "the request", time.Time{}, in(""))
	g.Expect(err).NotTo(HaveOccurred())
	again, err := j.Request(ctx, machine("1"), "its phase", made.At, in(v1alpha1.PoweringOff))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(again.Object).To(Equal(off))
	next, err := j.Request(ctx, machine("1"), "the next phase", again.At, in(v1alpha1.Fenced))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(next.Object).To(Equal(fenced))
}

func TestEvents(t *testing.T) {
	g := NewWithT(t)
	j := newJournal()
	held := &eventsv1.Event{ObjectMeta: metav1.ObjectMeta{Name: "e"}, Reason: "RemediationHeld"}
	handler(j.write).OnAdd(machine("1"), true)
	handler(j.write).OnAdd(held, false)
	entry, err := j.Event(t.Context(), "the event", func(e *eventsv1.Event) bool { return e.Reason == "RemediationHeld" })
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(entry.Object).To(Equal(held))
}
