package remedy_test

import (
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/managed"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/status"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

func TestOwner(t *testing.T) {
	f := newFixture(t, build.NodeRef("node"))
	before := f.stored(t)
	f.mustApply(t, remedy.Owner, "marked for remediation by MachineSet set")
	expect.ConditionIs(t.Context(), t, f.c, f.machine, metav1.Condition{
		Type: clusterv1.MachineOwnerRemediatedCondition, Status: metav1.ConditionFalse,
		Reason: clusterv1.MachineOwnerRemediatedWaitingForRemediationReason, Message: "Waiting for remediation", ObservedGeneration: 1,
	})
	after := f.stored(t)
	mark := meta.FindStatusCondition(after.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition)
	if !mark.LastTransitionTime.Time.Equal(now) {
		t.Errorf("transition time is %s, want %s", mark.LastTransitionTime, now)
	}
	if len(after.Status.Conditions) != len(before.Status.Conditions)+1 || after.Status.NodeRef != before.Status.NodeRef {
		t.Errorf("it changed more than its condition: %+v", after.Status)
	}
	if !managed.Wrote(after, clusterv1.MachineOwnerRemediatedCondition, status.OwnerRemediatedFieldOwner) {
		t.Error("nobody can tell that the mark is ours")
	}
}

// TestOwnerReplacesTrue: a mark that is True is that of an earlier remediation.
func TestOwnerReplacesTrue(t *testing.T) {
	f := newFixture(t, build.Condition(clusterv1.MachineOwnerRemediatedCondition, metav1.ConditionTrue, "Done", build.Epoch))
	f.mustApply(t, remedy.Owner, "marked for remediation by MachineSet set")
	if mark := expect.Condition(t.Context(), t, f.c, f.machine, clusterv1.MachineOwnerRemediatedCondition); mark.Status != metav1.ConditionFalse {
		t.Errorf("mark is %+v", mark)
	}
}

func TestOwnerIsGone(t *testing.T) {
	f := newFixture(t)
	f.machine.OwnerReferences = nil
	if _, err := f.apply(t, remedy.Owner); err == nil {
		t.Error("it was marked for nobody")
	}
	expect.NoCondition(t.Context(), t, f.c, f.machine, clusterv1.MachineOwnerRemediatedCondition)
}

func TestNeedsMark(t *testing.T) {
	mark := func(s metav1.ConditionStatus) build.MachineOption {
		return build.Condition(clusterv1.MachineOwnerRemediatedCondition, s, "R", now)
	}
	tests := map[string]struct {
		opts []build.MachineOption
		want bool
	}{
		"absent":                     {nil, true},
		"True":                       {[]build.MachineOption{mark(metav1.ConditionTrue)}, true},
		"False: it is the owner's":   {[]build.MachineOption{mark(metav1.ConditionFalse)}, false},
		"Unknown: it is the owner's": {[]build.MachineOption{mark(metav1.ConditionUnknown)}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := remedy.NeedsMark(build.Machine("ns", "m", tt.opts...)); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// TestStale: nothing is done to a Machine that has changed since it was judged.
func TestStale(t *testing.T) {
	for _, kind := range []remedy.Kind{remedy.Owner} {
		t.Run(string(kind), func(t *testing.T) {
			f := newFixture(t)
			f.touch(t)
			before := f.stored(t)
			if _, err := f.apply(t, kind); !apierrors.IsConflict(err) {
				t.Errorf("error is %v, want a conflict", err)
			}
			if after := f.stored(t); after.ResourceVersion != before.ResourceVersion || !after.DeletionTimestamp.IsZero() {
				t.Error("it was done nevertheless")
			}
		})
	}
}

// TestGone: a Machine that is gone is not brought back, and there is nothing left to complain about.
func TestGone(t *testing.T) {
	for _, kind := range []remedy.Kind{remedy.Owner} {
		t.Run(string(kind), func(t *testing.T) {
			f := newFixture(t)
			f.remove(t)
			_, err := f.apply(t, kind)
			if err != nil && !errors.Is(err, remedy.ErrGone) {
				t.Errorf("error is %v, want none, or the one that says so", err)
			}
			expect.Gone(t.Context(), t, f.c, f.machine)
		})
	}
}
