package cycle

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// simAutoscaler removes instances without a Node by the rules of the Cluster Autoscaler (removeOldUnregisteredNodes): it looks every
// --scan-interval, and removes one that has had no Node for longer than --max-node-provision-time, unless its group would get smaller than its
// minimum.
type simAutoscaler struct {
	size, min    int
	unregistered time.Time
	removed      bool
}

const (
	scanInterval         = 10 * time.Second
	maxNodeProvisionTime = 15 * time.Minute
)

func (a *simAutoscaler) look(registered bool, now time.Time) {
	switch {
	case registered:
		a.unregistered = time.Time{}
	case a.unregistered.IsZero():
		a.unregistered = now
	case a.unregistered.Add(maxNodeProvisionTime).Before(now) && a.size > a.min:
		a.removed = true
	}
}

// TestBesideAnAutoscaler: a bare-metal host takes 17 minutes to boot, and a Cluster Autoscaler looks after its machine. If the Node were deleted, the
// autoscaler would take the machine for one that failed to join, and its disks would be wiped.
func TestBesideAnAutoscaler(t *testing.T) {
	for name, c := range map[string]struct {
		isolation  v1alpha1.Isolation
		autoscaled bool
		min        int
		old        bool
		removed    bool
		phase      v1alpha1.Phase
	}{
		"nobody knew of it":               {removed: true},
		"nobody knew, at the minimum":     {min: 3, phase: v1alpha1.Succeeded},
		"by default":                      {autoscaled: true, phase: v1alpha1.Succeeded},
		"the taint was asked for":         {isolation: v1alpha1.OutOfServiceTaint, phase: v1alpha1.Succeeded},
		"the deletion was asked for":      {isolation: v1alpha1.DeleteNode, autoscaled: true, removed: true},
		"an old cluster knows no taint":   {autoscaled: true, old: true, phase: v1alpha1.Succeeded},
		"old, the deletion was asked for": {isolation: v1alpha1.DeleteNode, autoscaled: true, old: true, removed: true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newModel()
			w.t, w.request.spec.Isolation, w.machine.autoscaled = t, c.isolation, c.autoscaled
			w.kubelet.bootTime, w.workload.taintSupported = 17*time.Minute, !c.old
			a := simAutoscaler{size: 3, min: c.min}
			for end := w.now.Add(time.Hour); w.now.Before(end) && !w.over() && !a.removed; w.advance(scanInterval) {
				w.run()
				a.look(w.workload.node != nil, w.now)
			}
			if a.removed != c.removed || (!a.removed && w.request.status.Phase != c.phase) {
				t.Errorf("removed %t, want %t; the cycle is %s: %s", a.removed, c.removed, w.request.status.Phase, messageOf(w.request.status))
			}
		})
	}
}

// TestIsolationIsKept: an attempt that owes the Node something keeps its way, whatever the owner says meanwhile.
func TestIsolationIsKept(t *testing.T) {
	autoscaled := func(f *Facts) { f.Machine.Autoscaled = true }
	for name, c := range map[string]struct {
		facts Facts
		want  v1alpha1.Isolation
	}{
		"the usual machine": {in(v1alpha1.Pending), ""},
		"autoscaled":        {in(v1alpha1.Pending, autoscaled), v1alpha1.OutOfServiceTaint},
		"asked for":         {in(v1alpha1.Pending, autoscaled, func(f *Facts) { f.Spec.Isolation = v1alpha1.DeleteNode }), ""},
	} {
		t.Run(name, func(t *testing.T) {
			if d := Decide(c.facts, noon.Add(time.Minute)); !Begins(&c.facts, d) || d.Status.Isolation != c.want {
				t.Errorf("begins %t, isolation %q, want %q", Begins(&c.facts, d), d.Status.Isolation, c.want)
			}
		})
	}
}
