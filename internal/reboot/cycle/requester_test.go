package cycle

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

const operation = "u-1/1"

// allOf makes several changes in order.
func allOf(changes ...change) change {
	return func(f *Facts) {
		for _, c := range changes {
			c(f)
		}
	}
}

// TestRecordTakesItBack: a record can withdraw its request. Before the Node was touched, the cycle ends at once; after that, the host comes on
// first.
func TestRecordTakesItBack(t *testing.T) {
	withdrawn, release := stores(v1alpha1.Aborted, v1alpha1.ReasonWithdrawn), stores(v1alpha1.PoweringOn, "PoweringOn")
	check(t, []row{
		{name: "Pending", facts: in(v1alpha1.Pending, deleting), want: withdrawn},
		{name: "PoweringOff", facts: in(v1alpha1.PoweringOff, deleting), want: withdrawn},
		{name: "Fenced", facts: in(v1alpha1.Fenced, deleting), want: withdrawn},
		{name: "Isolating", facts: in(v1alpha1.Isolating, deleting), want: release},
		{name: "and the host is given back", facts: in(v1alpha1.Aborted, deleting, keyed), want: does(v1alpha1.Aborted, RemoveKey)},
		{name: "the Node is back", facts: in(v1alpha1.Restoring, func(f *Facts) { f.Node.Node.Labels = map[string]string{"team": "a"} }), want: stores(v1alpha1.Succeeded, "Succeeded")},
	})
}

// TestRecordPlaysThrough: the host does not come on. It was cycled once, and what follows is not ours to decide.
func TestRecordPlaysThrough(t *testing.T) {
	w := newModel()
	w.t, w.kubelet.dead = t, true
	if s := w.ended(t, 6*time.Hour); s.Phase != v1alpha1.Failed || w.seen.cycles != 1 {
		t.Errorf("ended as %s after %d cycles", s.Phase, w.seen.cycles)
	}
}
