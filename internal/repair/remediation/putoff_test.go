package remediation

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/fairqueue"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// crowded has others wait in the queue of the harness, as in a storm.
func crowded(t *testing.T, f *harness) {
	t.Helper()
	made := f.queue.keep(fairqueue.New(func(ctrl.Request) fairqueue.Place { return fairqueue.Place{} }))(
		"records", workqueue.DefaultTypedControllerRateLimiter[ctrl.Request]())
	t.Cleanup(made.ShutDown)
	made.Add(ctrl.Request{})
}

// TestOthersAreMarkedFirst: while others wait, a machine is marked, and its record says so in the next pass, which waits behind them. Whatever has
// happened in between counts in that pass: the event that told it may have come while the record waited.
func TestOthersAreMarkedFirst(t *testing.T) {
	t.Parallel()
	rows(t, map[string]struct {
		between func(*harness, *v1alpha1.MachineRemediation, *clusterv1.Machine)
		want    string
		// fresh reports that nothing is stored but what a new look shows.
		fresh bool
	}{
		"nothing happens": {func(*harness, *v1alpha1.MachineRemediation, *clusterv1.Machine) {}, acting, false},
		"the machine is healthy": {func(f *harness, _ *v1alpha1.MachineRemediation, m *clusterv1.Machine) {
			f.judge(m, metav1.ConditionTrue)
		}, "Ended Ended RecoveredUnaided replace:NotBegun", false},
		"its owner refuses": {func(f *harness, _ *v1alpha1.MachineRemediation, m *clusterv1.Machine) {
			f.answer(m, clusterv1.MachineSetMachineCannotBeRemediatedReason, "no")
		}, "Pending Refused replace:Impossible", false},
		"a person cancels": {func(f *harness, r *v1alpha1.MachineRemediation, _ *clusterv1.Machine) {
			change(f, r, func(r *v1alpha1.MachineRemediation) {
				r.Spec.Decision = &v1alpha1.RemediationDecision{Attempt: 1, Answer: v1alpha1.AnswerCancel, By: "ann"}
			})
		}, "Held Cancelled replace:Cancelled", true},
		"it takes long": {func(f *harness, _ *v1alpha1.MachineRemediation, _ *clusterv1.Machine) {
			f.pass(maxLookAge + time.Second)
		}, acting, false},
		"it takes longer than the deletion": {func(f *harness, _ *v1alpha1.MachineRemediation, m *clusterv1.Machine) {
			f.pass(maxLookAge + time.Second)
			f.goes(m)
		}, "Ended Ended Replaced replace:Succeeded", false},
		"the manager restarts": {func(f *harness, _ *v1alpha1.MachineRemediation, _ *clusterv1.Machine) { f.restart() }, acting, true},
	}, func(t *testing.T, tt struct {
		between func(*harness, *v1alpha1.MachineRemediation, *clusterv1.Machine)
		want    string
		fresh   bool
	},
	) {
		t.Helper()
		f := newHarness(t)
		crowded(t, f)
		machine := f.sick("m")
		record := f.admit(machine)
		annotate(f, record, ladder.OwnerUIDAnnotation, string(f.set.UID))
		result, err := f.once(t.Context(), record)
		if err != nil || result.RequeueAfter != time.Nanosecond {
			t.Fatalf("it is looked at again after %s, error %v", result.RequeueAfter, err)
		}
		f.wantRecord(record, " ")
		f.wantStanding("m: mark")
		if got, _ := stored(f, record); !f.putOff.has(got) {
			t.Error("it does not wait behind others")
		}
		tt.between(f, record, machine)
		asked := &counting{Reader: f.Live}
		f.Live = asked
		f.reconcile(record)
		f.wantRecord(record, tt.want)
		if told := f.events(); count(told, EventRemediationStarted) != 1 {
			t.Errorf("events are %q", told)
		}
		if standing := f.standing(); (len(standing) > 0) != (tt.want == acting) {
			t.Errorf("%q stand", standing)
		}
		if got, _ := stored(f, record); f.putOff.has(got) {
			t.Error("it waits behind others for ever")
		}
		if reads := asked.sorted(); tt.want == acting && (len(reads) > 0) != tt.fresh {
			t.Errorf("reads past the cache are %q", reads)
		}
	})
}
