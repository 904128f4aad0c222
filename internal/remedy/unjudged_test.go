package remedy_test

import (
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

// TestMarkUnjudged: a Machine without a verdict, or one that was remediated before, can be marked.
func TestMarkUnjudged(t *testing.T) {
	for name, opts := range map[string][]build.MachineOption{
		"no verdict":         {build.NodeRef("node")},
		"one that is True":   {marked(metav1.ConditionTrue, "Remediated"), build.NodeRef("node")},
		"healthy by verdict": {build.Condition(verdictType, metav1.ConditionTrue, "Succeeded", build.Epoch)},
	} {
		t.Run(name, func(t *testing.T) {
			f := newHarness(t, opts...)
			before := f.stored(t)
			if err := remedy.MarkUnjudged(t.Context(), f.c, f.stored(t), now); err != nil {
				t.Fatal(err)
			}
			expect.ConditionIs(t.Context(), t, f.c, f.machine, waiting)
			after := f.stored(t)
			if mark := meta.FindStatusCondition(after.Status.Conditions, markType); !mark.LastTransitionTime.Time.Equal(now) {
				t.Errorf("transition time is %s, want %s", mark.LastTransitionTime, now)
			}
			if after.Status.NodeRef != before.Status.NodeRef {
				t.Errorf("it changed more than its condition: %+v", after.Status)
			}
			if !ownwrites.Wrote(after, clusterv1.MachineOwnerRemediatedCondition, ownwrites.RebootMarkFieldOwner) {
				t.Error("nobody can tell that the mark is ours")
			}
		})
	}
}

// TestMarkUnjudgedIsBound: the mark is refused if anything has changed since the Machine was read.
func TestMarkUnjudgedIsBound(t *testing.T) {
	for name, meddle := range map[string]func(*harness, *testing.T){"it is written to": (*harness).touch, "it is gone": (*harness).remove} {
		t.Run(name, func(t *testing.T) {
			f := newHarness(t)
			read := f.stored(t)
			meddle(f, t)
			if err := remedy.MarkUnjudged(t.Context(), f.c, read, now); !errors.Is(err, remedy.ErrChanged) {
				t.Errorf("error is %v, want ErrChanged", err)
			}
		})
	}
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
