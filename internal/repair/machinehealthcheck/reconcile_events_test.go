package machinehealthcheck

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestSteadyState: nothing is written and no event made as long as nothing changes.
func TestSteadyState(t *testing.T) {
	t.Parallel()
	tests := map[string][]build.MachineHealthCheckOption{
		"the usual":   nil,
		"restricted":  opts(build.TriggerIfAtMost(intstr.FromInt32(0))),
		"bounded":     opts(maxInFlight("1")),
		"template":    opts(byTemplate()),
		"reboot":      opts(byReboot()),
		"dry-run":     opts(build.Annotation(mhcspec.DryRunAnnotation, "true")),
		"invalid":     opts(maxInFlight("0")),
		"on hold":     opts(build.Annotation(mhcspec.HoldUntilAnnotation, "2222-01-01T00:00:00Z")),
		"paused":      opts(build.Annotation(clusterv1.PausedAnnotation, "")),
		"handed over": opts(handedOver()),
	}
	for name, opts := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newHarness(t)
			w.template(t)
			objects := []client.Object{w.sick(t, "a"), w.sick(t, "b"), w.healthy(t, "c"), w.machine(t, "d"), w.healthy(t, "e", build.Deleting(w.clock.Now()))}
			mhc := w.check(t, opts...)
			w.reconcile(t, mhc)
			w.reconcile(t, mhc)
			w.events()
			objects = append(objects, mhc)
			before := versions(t, w, objects)
			for range 3 {
				w.pass(time.Minute)
				w.reconcile(t, mhc)
			}
			if diff := cmp.Diff(before, versions(t, w, objects)); diff != "" {
				t.Errorf("resource versions (-before +after):\n%s", diff)
			}
			w.wantEvents(t)
		})
	}
}

func versions(t *testing.T, w *harness, objects []client.Object) map[string]string {
	t.Helper()
	list := map[string]string{}
	for _, obj := range objects {
		latest, _ := stored(t, w, obj)
		list[obj.GetName()] = latest.GetResourceVersion()
	}
	for _, r := range w.records(t) {
		list["record "+r.Name] = r.ResourceVersion
	}
	return list
}

// TestEventsOnTransitions: one event when something changes.
func TestEventsOnTransitions(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	a, b := w.healthy(t, "a"), w.healthy(t, "b")
	mhc := w.check(t, build.TriggerIfAtMost(intstr.FromInt32(1)))
	w.reconcile(t, mhc)
	w.wantEvents(t)

	w.judge(t, a, metav1.ConditionUnknown)
	w.judge(t, b, metav1.ConditionUnknown)
	w.reconcile(t, mhc)
	w.wantEvents(t) // nobody is sick, so nothing is held back

	w.judge(t, a, metav1.ConditionFalse)
	w.reconcile(t, mhc)
	w.reconcile(t, mhc)
	w.wantEvents(t, "Warning RemediationRestricted 2 of 2 machines not healthy (1 sick, 1 undecided), more than the 1 allowed; 1 is held back: a")

	w.judge(t, b, metav1.ConditionTrue)
	w.reconcile(t, mhc)
	w.reconcile(t, mhc)
	w.wantEvents(t, "Normal RemediationAllowed 1 of 2 machines not healthy (1 sick), at most 1 allowed")
}

// TestEventNotesAreShort: the API refuses those of more than a kilobyte.
func TestEventNotesAreShort(t *testing.T) {
	w := newHarness(t)
	long := make([]byte, 5000)
	for i := range long {
		long[i] = 'x'
	}
	w.event(w.cluster, nil, "Normal", "Test", string(long))
	if got := len(<-w.recorder.Events) - len("Normal Test "); got != 1024 {
		t.Errorf("the note takes %d bytes", got)
	}
}
