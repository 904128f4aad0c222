package reboot

import (
	"errors"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/controllerstate"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestKeysSeen: the time begins with the first look that has seen the key, stored as seen; it begins anew when the key, its time, or the host
// has changed, and in another process.
func TestKeysSeen(t *testing.T) {
	k := &controllerstate.Memory[keySeen]{}
	key := client.ObjectKey{Namespace: "ns", Name: "r"}
	f := cycle.Facts{Host: cycle.HostFacts{UID: "h-1", Key: true}}
	begin := time.Now()
	look := func(what string, after, want time.Duration) {
		t.Helper()
		if got := seenFor(k, key, f.Host, f.Status.KeySince, begin.Add(after), begin.Add(after+time.Second)); got != want {
			t.Errorf("%s: seen for %s, want %s", what, got, want)
		}
	}
	look("not stored yet", 0, 0)
	f.Status.KeySince = new(metav1.NewTime(begin.Add(time.Hour)))
	look("stored, by another clock", 10*time.Second, 0)
	look("a look later", 30*time.Second, 19*time.Second)
	f.Host.Key = false
	look("lost", 40*time.Second, 0)
	f.Host.Key = true
	look("back", 50*time.Second, 0)
	look("and there", 80*time.Second, 29*time.Second)
	f.Status.KeySince = new(metav1.NewTime(begin))
	look("set anew", 90*time.Second, 0)
	f.Host.UID = "h-2"
	look("on another host", 100*time.Second, 0)
	look("and there", 111*time.Second, 10*time.Second)
	k.Forget(key)
	look("forgotten", 120*time.Second, 0)
	k = &controllerstate.Memory[keySeen]{}
	look("in another process", 150*time.Second, 0)
}

// TestFailureIsReportedOnce: a step that fails is retried, but the same error is reported only once.
func TestFailureIsReportedOnce(t *testing.T) {
	recorder := events.NewFakeRecorder(20)
	r := &Reconciler{Recorder: recorder, Clock: clocktesting.NewFakePassiveClock(build.Epoch)}
	request := &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "m"}}
	other := &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "other"}}
	refused, reset := errors.New("refused"), errors.New("read tcp 192.0.2.1:40001->192.0.2.2:6443: reset")
	conflict := apierrors.NewConflict(schema.GroupResource{}, "m", errors.New("has changed"))
	reports := func(what string, want bool) {
		t.Helper()
		select {
		case text := <-recorder.Events:
			if !want || !strings.Contains(text, EventStepFailed) {
				t.Errorf("%s: %q", what, text)
			}
		default:
			if want {
				t.Errorf("%s: nothing is reported", what)
			}
		}
	}
	for _, step := range []struct {
		what string
		do   func()
		want bool
	}{
		{"at first", func() { r.report(request, outcome{cycle.DeleteNode, refused}) }, true},
		{"again", func() { r.report(request, outcome{cycle.DeleteNode, refused}) }, false},
		{"another step", func() { r.report(request, outcome{cycle.RemoveKey, refused}) }, true},
		{"the first once more", func() { r.report(request, outcome{cycle.DeleteNode, refused}) }, false},
		{"of another machine", func() { r.report(other, outcome{cycle.DeleteNode, refused}) }, true},
		{"another cause", func() { r.report(request, outcome{cycle.DeleteNode, reset}) }, true},
		{"the same cause from another port", func() {
			r.report(request, outcome{cycle.DeleteNode, errors.New(strings.ReplaceAll(reset.Error(), "40001", "40002"))})
		}, false},
		{"only judged anew", func() { r.report(request, outcome{cycle.SetKey, conflict}) }, false},
		{"so is one that has changed", func() { r.report(request, outcome{cycle.DropFull, remedy.ErrChanged}) }, false},
		{"after a success", func() {
			r.memory.Succeed(client.ObjectKeyFromObject(request), string(cycle.DeleteNode))
			r.report(request, outcome{cycle.DeleteNode, reset})
		}, true},
		{"which is none of another step", func() { r.report(request, outcome{cycle.RemoveKey, refused}) }, false},
	} {
		step.do()
		reports(step.what, step.want)
	}
	r.memory.Forget(client.ObjectKeyFromObject(request))
	r.report(request, outcome{cycle.RemoveKey, refused})
	reports("of another object of that name", true)
}
