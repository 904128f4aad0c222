package machinehealthcheck

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	testingclock "k8s.io/utils/clock/testing"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestCountsWait: a verdict on which nobody is remediated waits for others, in proportion to the Machines that a look would
// be at. All that may call for an act does not wait, and neither does anything where there are few Machines.
func TestCountsWait(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	w.check(t)
	many := build.MachineHealthCheck(w.ns, "many")
	build.Create(t.Context(), t, w.env.Client, many)
	many.Status.ExpectedMachines = new(int32(10_000))
	if err := w.env.Client.Status().Update(t.Context(), many); err != nil {
		t.Fatal(err)
	}
	machine := func(opts ...build.MachineOption) *clusterv1.Machine {
		return build.Machine(w.ns, "m", append([]build.MachineOption{build.OwnedBy(w.set)}, opts...)...)
	}
	healthy, unsure, sick := w.verdict(metav1.ConditionTrue), w.verdict(metav1.ConditionUnknown), w.verdict(metav1.ConditionFalse)
	for name, tt := range map[string]struct {
		before, after *clusterv1.Machine
		// atOnce is how many of the two MachineHealthChecks are looked at without a pause.
		atOnce int
	}{
		"the first verdict, healthy": {machine(), machine(healthy), 1},
		"not sure any more":          {machine(healthy), machine(unsure), 1},
		"healthy again":              {machine(sick), machine(healthy), 1},
		"sick":                       {machine(unsure), machine(sick), 2},
		"the verdict goes":           {machine(healthy), machine(), 2},
		"labelled, too":              {machine(), machine(healthy, build.Label("x", "y")), 2},
		"its mark goes, too":         {machine(sick, marked(metav1.ConditionFalse)), machine(healthy), 2},
	} {
		t.Run(name, func(t *testing.T) {
			clock := testingclock.NewFakeClock(time.Now())
			queue := workqueue.NewTypedRateLimitingQueueWithConfig(workqueue.DefaultTypedControllerRateLimiter[ctrl.Request](),
				workqueue.TypedRateLimitingQueueConfig[ctrl.Request]{Clock: clock})
			defer queue.ShutDown()
			w.machineEvents().Update(t.Context(), event.UpdateEvent{ObjectOld: tt.before, ObjectNew: tt.after}, queue)
			if queue.Len() != tt.atOnce {
				t.Errorf("%d are looked at at once, want %d", queue.Len(), tt.atOnce)
			}
		})
	}
}
