package reboot

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	testingclock "k8s.io/utils/clock/testing"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remedy"
)

// forNode is a record that stays for its Node.
func forNode(f *Facts) { f.NodeFinalizer = true }

// deletedAt is a record that was deleted some time after noon.
func deletedAt(after time.Duration) change {
	return func(f *Facts) { f.Deleting, f.DeletingSince = true, noon.Add(after) }
}

// TestStaysForItsNode: what a Node is owed outlives neither its reason nor, once the record is deleted, the time that the Node may take.
func TestStaysForItsNode(t *testing.T) {
	const failed = v1alpha1.Failed
	why := condition(v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonNodeTimedOut)
	owed := func(changes ...change) Facts {
		return in(failed, append([]change{owing(map[string]string{"team": "a"}), noFinalizer, forNode, nodeGone}, changes...)...)
	}
	rests := waits(failed, 0).saying(v1alpha1.ReasonNodeTimedOut)
	goes := does(failed, RemoveNodeFinalizer).saying(v1alpha1.ReasonNodeTimedOut)
	bare := func(f *Facts) { f.Node.Node.Labels = nil }
	expires := nodeTimeout + time.Hour
	check(t, []row{
		{name: "it waits", facts: owed(), after: 24 * time.Hour, want: rests},
		{name: "it is deleted", facts: owed(deletedAt(time.Hour)), after: time.Hour, want: rests.lookingAgain(expires)},
		{name: "the Node comes", facts: owed(deletedAt(time.Hour), newNode, bare), after: time.Hour, want: does(failed, RestoreNode).saying(v1alpha1.ReasonNodeTimedOut).lookingAgain(expires)},
		{name: "it does not come", facts: owed(deletedAt(time.Hour)), after: expires, want: goes},
		{name: "the Machine is gone", facts: owed(machineGone), want: goes},
		{name: "the Machine is another one", facts: owed(func(f *Facts) { f.Machine.UID = "m-2" }), want: goes},
		{name: "nothing is owed any more", facts: owed(untouched, why), want: goes},
		{name: "the machine cannot be read", facts: owed(blinded), want: rests},
		{name: "nor before it has been long enough", facts: owed(blinded, deletedAt(time.Hour)), after: expires, want: goes},
		{name: "another cycle was to begin", facts: in("", noFinalizer, forNode, outOfServiceNode, nodeGone, deletedAt(0)), want: outcome{again: nodeTimeout}},
		{name: "another cycle was to begin, and is not", facts: in("", noFinalizer, forNode, outOfServiceNode, nodeGone, deletedAt(0)), after: nodeTimeout, want: outcome{do: RemoveNodeFinalizer}},
	})
}

func outOfServiceNode(f *Facts) {
	f.Status.MachineUID, f.Status.Node = "m-1", &v1alpha1.NodeRecord{Name: "n1", UID: "node-1", BootID: "boot-1", OutOfService: true}
}

// TestFinalizersOfACycle: there are two while it goes on, and the one for the Node stays as long as the Node is owed something, also if a
// health check deletes the record. When that is given up, people are told.
func TestFinalizersOfACycle(t *testing.T) {
	s := newShared(t)
	request := s.ask("m", v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByPerson})
	if s.look(request); !slices.Equal(request.Finalizers, []string{Finalizer, NodeFinalizer}) && !slices.Equal(request.Finalizers, []string{NodeFinalizer, Finalizer}) {
		t.Fatalf("at first the finalizers are %v", request.Finalizers)
	}
	request.Status.Node.OutOfService, request.Status.Phase, request.Status.FinishedAt = true, v1alpha1.Failed, request.Status.PendingRebootSince
	if err := s.e.Client.Status().Update(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	if s.look(request); len(s.keys()) > 0 || !slices.Equal(request.Finalizers, []string{NodeFinalizer}) {
		t.Fatalf("after the end the finalizers are %v, and the keys %v", request.Finalizers, s.keys())
	}
	s.delete(request)
	if s.look(request); !slices.Equal(request.Finalizers, []string{NodeFinalizer}) {
		t.Fatalf("it is deleted, and the finalizers are %v", request.Finalizers)
	}
	recorder := events.NewFakeRecorder(10)
	s.r.Recorder = recorder
	s.r.Clock = laterThan(s.r.Clock.Now(), time.Hour)
	if s.look(request).Status.Phase != gone {
		t.Errorf("it is given up, and the finalizers are %v", request.Finalizers)
	}
	select {
	case text := <-recorder.Events:
		if !strings.Contains(text, EventNodeGivenUp) {
			t.Errorf("people are told %q", text)
		}
	default:
		t.Error("people are not told")
	}
}

// TestRefusedPartsAreNamed: what the workload cluster does not take back keeps nothing else from being put back.
func TestRefusedPartsAreNamed(t *testing.T) {
	s := newShared(t)
	node := apiNode(t, s.e, nil)
	backup := &v1alpha1.NodeBackup{
		TakenAt: noon, Labels: map[string]string{"a": "1", "refused": "not a value!", "z": "2"}, Annotations: map[string]string{"note": "3"},
		Taints: []corev1.Taint{{Key: "team", Value: "a", Effect: corev1.TaintEffectNoSchedule}}, Unschedulable: true,
	}
	err := restoreNode(t.Context(), s.e.Client, node, backup)
	if err == nil || !strings.Contains(err.Error(), "label refused") || strings.Contains(err.Error(), "label a") {
		t.Errorf("the error is %v", err)
	}
	got := reread(t, s.e, node)
	if left := Missing(backup, got); left.String() != "label refused" {
		t.Errorf("what is left is %s", left)
	}
	if err := s.e.Client.Delete(t.Context(), got); err != nil {
		t.Fatal(err)
	}
	if err := restoreNode(t.Context(), s.e.Client, node, backup); err == nil {
		t.Error("a Node that is gone was served")
	}
}

// TestHealthCheckEndsNoHold: a person has the host switched off, and nobody but a person has it switched on.
func TestHealthCheckEndsNoHold(t *testing.T) {
	const phase = v1alpha1.Holding
	of := func(by v1alpha1.RequesterKind) change { return requestedBy(v1alpha1.RebootRequester{Kind: by}) }
	asks := func(f *Facts) { f.Machine.Plain, f.Machine.OfHealthCheck, f.Machine.Operation = true, true, operation }
	person := func(f *Facts) { f.Machine.Plain = true }
	held := func(changes ...change) Facts {
		return in(phase, append([]change{of(v1alpha1.RequestedByAnnotation), asking(), keySeen}, changes...)...)
	}
	check(t, []row{
		{name: "nobody asks", facts: held(), want: waits(phase, 0)},
		{name: "a health check asks", facts: held(asks), want: waits(phase, 0)},
		{name: "a health check asks while the host goes off", facts: in(v1alpha1.Fenced, of(v1alpha1.RequestedByAnnotation), asking(v1alpha1.StepPowerOff), asks), want: stores(phase, "Holding")},
		{name: "a person asks for the rest", facts: settled(held(person)), want: stores(v1alpha1.Fenced, "Fenced")},
		{name: "a person keeps off what a health check cycles", facts: in(v1alpha1.Fenced, of(v1alpha1.RequestedByHealthCheck), asking(v1alpha1.StepPowerOff), asks), want: stores(phase, "Holding")},
		{name: "it is over, and that of the health check stays", facts: in(v1alpha1.Succeeded, of(v1alpha1.RequestedByAnnotation), asking(), asks), want: does(v1alpha1.Succeeded, RemoveFinalizer)},
	})
}

// TestHealthCheckEndsNoHoldForReal plays it through, and has the health check's cycle begin afterwards.
func TestHealthCheckEndsNoHoldForReal(t *testing.T) {
	w := stepWorld(t, v1alpha1.StepPowerOff)
	if got := w.rest(); got.phase != v1alpha1.Holding {
		t.Fatalf("it comes to rest as %+v", got)
	}
	doings["a health check asks"](w)
	if got := w.rest(); got != (rest{phase: v1alpha1.Holding, node: "node-1"}) {
		t.Fatalf("a health check asks: %+v", got)
	}
	w.ask(v1alpha1.StepPowerOn)
	if got := w.rest(); got.phase != v1alpha1.Succeeded || !got.on || !w.machine.plain {
		t.Fatalf("then it ends as %+v, and that a health check asks is %t", got, w.machine.plain)
	}
}

// TestWhoseAnnotation tells the annotation of a health check from that of a person.
func TestWhoseAnnotation(t *testing.T) {
	for name, tt := range map[string]struct {
		annotations map[string]string
		want        bool
	}{
		"a person":       {map[string]string{remedy.RebootAnnotation: ""}, false},
		"a health check": {map[string]string{remedy.RebootAnnotation: operation, remedy.RebootOperationAnnotation: operation}, true},
	} {
		m, request := &machine{object: reference(types.UID("m-1"), tt.annotations)}, &v1alpha1.RebootRemediation{}
		request.Annotations = map[string]string{ByAnnotation: ""}
		if got := m.facts(request).OfHealthCheck; got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func reference(uid types.UID, annotations map[string]string) *clusterv1.Machine {
	return &clusterv1.Machine{ObjectMeta: metav1.ObjectMeta{Name: "m", UID: uid, Annotations: annotations}}
}

// laterThan is a clock that stands still some time later.
func laterThan(now time.Time, d time.Duration) clock.PassiveClock {
	return testingclock.NewFakePassiveClock(now.Add(d))
}
