package machinehealthcheck

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// wantTold asserts the events since it was asked last.
func (w *ward) wantTold(t *testing.T, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, w.told()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// TestSteadyState: nothing is written and nothing told as long as nothing changes.
func TestSteadyState(t *testing.T) {
	t.Parallel()
	tests := map[string][]build.MachineHealthCheckOption{
		"the usual":   nil,
		"restricted":  opts(build.TriggerIfAtMost(intstr.FromInt32(0))),
		"bounded":     opts(maxInFlight("1")),
		"template":    opts(byTemplate()),
		"reboot":      opts(byReboot()),
		"dry-run":     opts(build.Annotation(DryRunAnnotation, "true")),
		"invalid":     opts(maxInFlight("0")),
		"paused":      opts(build.Annotation(clusterv1.PausedAnnotation, "")),
		"handed over": opts(handedOver()),
	}
	for name, opts := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWard(t)
			w.template(t)
			objects := []client.Object{w.sick(t, "a"), w.sick(t, "b"), w.healthy(t, "c"), w.machine(t, "d"), w.healthy(t, "e", build.Deleting(w.clock.Now()))}
			mhc := w.check(t, opts...)
			w.reconcile(t, mhc)
			w.reconcile(t, mhc)
			w.told()
			objects = append(objects, mhc)
			before := versions(t, w, objects)
			for range 3 {
				w.clock.SetTime(w.clock.Now().Add(time.Minute))
				w.reconcile(t, mhc)
			}
			if diff := cmp.Diff(before, versions(t, w, objects)); diff != "" {
				t.Errorf("resource versions (-before +after):\n%s", diff)
			}
			w.wantTold(t)
		})
	}
}

func versions(t *testing.T, w *ward, objects []client.Object) map[string]string {
	t.Helper()
	list := map[string]string{}
	for _, obj := range objects {
		stored, _ := fetch(t, w, obj)
		list[obj.GetName()] = stored.GetResourceVersion()
	}
	for _, request := range w.requests(t) {
		list["request "+request.GetName()] = request.GetResourceVersion()
	}
	return list
}

// TestEventsOnTransitions: people are told once when something changes.
func TestEventsOnTransitions(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	a, b := w.healthy(t, "a"), w.healthy(t, "b")
	mhc := w.check(t, build.TriggerIfAtMost(intstr.FromInt32(1)))
	w.reconcile(t, mhc)
	w.wantTold(t)

	w.judge(t, a, metav1.ConditionUnknown)
	w.judge(t, b, metav1.ConditionUnknown)
	w.reconcile(t, mhc)
	w.wantTold(t) // nobody is sick, so nothing is held back

	w.judge(t, a, metav1.ConditionFalse)
	w.reconcile(t, mhc)
	w.reconcile(t, mhc)
	w.wantTold(t, "Warning RemediationRestricted 2 of 2 machines not healthy (1 sick, 1 undecided), more than the 1 allowed")

	w.judge(t, b, metav1.ConditionTrue)
	w.reconcile(t, mhc)
	w.reconcile(t, mhc)
	w.wantTold(t,
		"Normal RemediationAllowed 1 of 2 machines not healthy (1 sick), at most 1 allowed",
		"Normal RemediationStarted Marked for remediation by MachineSet set, on account of MachineHealthCheck mhc: ")
}

func TestEventRequestWithdrawn(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	w.template(t)
	a := w.sick(t, "a")
	mhc := w.check(t, byTemplate())
	w.reconcile(t, mhc)
	w.told()
	w.judge(t, a, metav1.ConditionTrue)
	w.freeze(t, mhc)
	w.reconcile(t, mhc)
	w.reconcile(t, mhc)
	w.wantTold(t, "Normal RemediationRequestWithdrawn Machine is healthy again")
}

// TestEventNotesAreShort: the API refuses those of more than a kilobyte.
func TestEventNotesAreShort(t *testing.T) {
	w := newWard(t)
	long := make([]byte, 5000)
	for i := range long {
		long[i] = 'x'
	}
	w.event(w.cluster, nil, "Normal", "Test", string(long))
	if got := len(<-w.events.Events) - len("Normal Test "); got != 1024 {
		t.Errorf("the note takes %d bytes", got)
	}
}
