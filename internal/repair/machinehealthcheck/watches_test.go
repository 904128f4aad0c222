package machinehealthcheck

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// pauses notes for how long each MachineHealthCheck waits.
type pauses struct {
	workqueue.TypedRateLimitingInterface[ctrl.Request]
	after map[string]time.Duration
}

func (p pauses) AddAfter(req ctrl.Request, pause time.Duration) { p.after[req.Name] = pause }

// TestCountsWait: a verdict on which nobody is admitted waits for others, in proportion to the Machines that a look would
// be at. All that may call for an act waits a moment, and where there are few Machines nothing waits.
func TestCountsWait(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	few := w.check(t)
	many := build.MachineHealthCheck(w.ns, "many")
	build.Create(t.Context(), t, w.env.Client, many)
	many.Status.ExpectedMachines = new(int32(10_000))
	if err := w.env.Client.Status().Update(t.Context(), many); err != nil {
		t.Fatal(err)
	}
	labelled := build.MachineHealthCheck(w.ns, "labelled", build.Selector(map[string]string{"pool": "x"}))
	build.Create(t.Context(), t, w.env.Client, labelled)
	machine := func(opts ...build.MachineOption) *clusterv1.Machine {
		return build.Machine(w.ns, "m", append([]build.MachineOption{build.OwnedBy(w.set)}, opts...)...)
	}
	healthy, unsure, sick := w.verdict(metav1.ConditionTrue), w.verdict(metav1.ConditionUnknown), w.verdict(metav1.ConditionFalse)
	for name, tt := range map[string]struct {
		before, after *clusterv1.Machine
		// wait is how long the MachineHealthCheck of many waits.
		wait time.Duration
		// moves tells that the Machine comes to a third MachineHealthCheck, or leaves it.
		moves bool
	}{
		"the first verdict, healthy": {machine(), machine(healthy), time.Second, false},
		"not sure any more":          {machine(healthy), machine(unsure), time.Second, false},
		"healthy again":              {machine(sick), machine(healthy), time.Second, false},
		"sick":                       {machine(unsure), machine(sick), 25 * time.Millisecond, false},
		"the verdict goes":           {machine(healthy), machine(), 25 * time.Millisecond, false},
		"labelled, too":              {machine(), machine(healthy, build.Label("x", "y")), 25 * time.Millisecond, false},
		"it comes to another":        {machine(), machine(build.Label("pool", "x")), 25 * time.Millisecond, true},
		"it leaves another":          {machine(build.Label("pool", "x")), machine(), 25 * time.Millisecond, true},
	} {
		t.Run(name, func(t *testing.T) {
			looks := pauses{after: map[string]time.Duration{}}
			w.machineEvents().Update(t.Context(), event.UpdateEvent{ObjectOld: tt.before, ObjectNew: tt.after}, looks)
			want := map[string]time.Duration{few.Name: 0, many.Name: tt.wait}
			if tt.moves {
				want[labelled.Name] = 0
			}
			if diff := cmp.Diff(want, looks.after); diff != "" {
				t.Errorf("looks (-want +got):\n%s", diff)
			}
		})
	}
}
