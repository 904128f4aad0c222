package cycle

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestNoWaitIsForEver: whatever does not answer, or keeps changing, the cycle ends within the sum of its deadlines. They
// count time, not the number of looks. Only a person may keep it waiting.
func TestNoWaitIsForEver(t *testing.T) {
	limit := 2 * (powerOffTimeout + 2*isolateTimeout + powerOnTimeout + 2*nodeTimeout)
	for name, tt := range map[string]struct {
		begin event
		// each runs every half minute.
		each func(w *model, even bool)
	}{
		"the workload cluster is dead":        {begin: faults["workload is lost"]},
		"and the BMC":                         {begin: func(w *model) { faults["workload is lost"](w); faults["BMC is lost"](w) }},
		"and the host's operator":             {begin: func(w *model) { faults["workload is lost"](w); faults["operator stops"](w) }},
		"the system hangs":                    {begin: faults["boot fails"]},
		"the Node is held by a finalizer":     {begin: func(w *model) { faults["Node sticks"](w); faults["boot fails"](w) }},
		"power fails":                         {begin: faults["power fails"]},
		"power sticks":                        {begin: faults["power sticks"]},
		"the workload cluster comes and goes": {each: func(w *model, even bool) { w.workload.down = even; w.kubelet.dead = true }},
		"the host is paused now and then":     {each: func(w *model, even bool) { w.host.paused = even; w.workload.stuck = true; w.touchHost() }},
		"our key is taken each time":          {each: func(w *model, _ bool) { w.dropKeys(simKey) }},
		"the BMC comes and goes":              {each: func(w *model, even bool) { w.operator.blind = even }},
	} {
		for _, isolation := range []v1alpha1.Isolation{v1alpha1.DeleteNode, v1alpha1.OutOfServiceTaint} {
			t.Run(name+", "+string(isolation), func(t *testing.T) {
				w := newModel()
				w.t, w.request.spec.Isolation = t, isolation
				if tt.begin != nil {
					tt.begin(w)
				}
				began := w.now
				for even := true; !w.over() && w.now.Before(began.Add(24*time.Hour)); even = !even {
					if tt.each != nil {
						tt.each(w, even)
					}
					w.goOn(30 * time.Second)
				}
				if took := w.now.Sub(began); !w.request.status.Phase.Ended() || took > limit {
					t.Errorf("after %s it is in phase %s; it may take %s", took, w.request.status.Phase, limit)
				}
			})
		}
	}
}

// TestLookedAtLate: a deadline counts even if nobody looked when it passed.
func TestLookedAtLate(t *testing.T) {
	for phase, facts := range map[v1alpha1.Phase]Facts{
		v1alpha1.PoweringOff: in(v1alpha1.PoweringOff, keyed, keySeen, seenOn), v1alpha1.Fenced: settled(in(v1alpha1.Fenced, nodeUnreadable)),
		v1alpha1.Isolating: in(v1alpha1.Isolating, nodeUnreadable), v1alpha1.PoweringOn: in(v1alpha1.PoweringOn),
		v1alpha1.WaitingForNode: in(v1alpha1.WaitingForNode, nodeUnreadable), v1alpha1.Restoring: in(v1alpha1.Restoring, nodeUnreadable),
		v1alpha1.Pending: settled(in(v1alpha1.Pending, missing)),
	} {
		if d := Decide(facts, noon.Add(24*time.Hour)); d.Status.Phase == phase {
			t.Errorf("a day later it is still in phase %s: %s", phase, d)
		}
	}
}
