package cycle

import (
	"maps"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// longest returns how long the waits of a cycle may take together: a proof may start again, and so may the wait for the host.
func longest(s *v1alpha1.RebootRemediationSpec) time.Duration {
	return 2 * (s.PowerOffTimeout() + proofTime + 2*isolateTimeout + s.PowerOnTimeout() + 2*s.NodeTimeout())
}

// nobodyKeepsIt takes away everything for which a cycle waits as long as it takes: people, other cycles, and what cannot be read.
func nobodyKeepsIt(f *Facts) {
	h := &f.Host
	h.Online, h.OtherKeys, f.Throttled, f.NotStored, f.Spec.Until, f.MachineUnreadable, f.Siblings = true, false, "", "", "", "", nil
	if temporary(h.Obstacle) {
		h.Obstacle = v1alpha1.ReasonPowerManagementError
	}
	// Nobody sets our key but a cycle that has begun, and our finalizer stays until it is gone. The Node is waited for after that.
	f.Finalizer = true
	h.Key = h.Key && f.Status.Host != nil && f.Status.BeganAt != nil && f.Status.Phase != v1alpha1.WaitingForNode && f.Status.Phase != v1alpha1.Restoring
	h.Probe = h.Probe && h.Key
}

// TestNoWaitIsForEver: whatever does not answer, or is now so and now so, a cycle ends within the sum of its deadlines. They count time, not the number
// of looks. Only a person, or another cycle, may keep it waiting.
func TestNoWaitIsForEver(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seen := []Facts{anyFacts().Draw(t, "now so"), anyFacts().Draw(t, "now so, too")}
		if rapid.Bool().Draw(t, "always the same") {
			seen[1] = seen[0]
		}
		for i := range seen {
			nobodyKeepsIt(&seen[i])
		}
		w := play(t, seen[0])
		w.still = true
		keepsKey := rapid.Bool().Draw(t, "our key stays")
		limit := longest(&w.f.Spec)
		for i := 0; !w.over() && w.now.Before(noon.Add(2*limit)); i++ {
			now := seen[i%2]
			w.f.Machine, w.f.Node = now.Machine, now.Node
			ours := w.f.Host
			if w.f.Host = now.Host; keepsKey || i == 0 {
				w.f.Host.Key, w.f.Host.Probe, w.f.Host.ProbedAt = ours.Key, ours.Probe && ours.Key, ours.ProbedAt
			}
			w.goOn(30 * time.Second)
		}
		if took := w.now.Sub(noon.Time); !w.f.Status.Phase.Ended() || took > limit {
			t.Fatalf("after %s it is in phase %s: %+v; it may take %s", took, w.f.Status.Phase, w.f.Status.Conditions, limit)
		}
	})
}

// anyRecordOf draws any record, however little it fits a machine whose host and Node do what they should.
func anyRecordOf(t *rapid.T) *model {
	f := anyFacts().Draw(t, "facts")
	node := in("").Node
	nobodyKeepsIt(&f)
	f.Host.Obstacle, f.Host.Message, f.Host.Missing, f.Host.Fenceable, f.Host.Deleting, f.Host.OtherProbe = "", "", "", true, false, false
	f.Node = node
	f.Machine.Node = node.Node.Name
	w := play(t, f)
	if f.Host.PoweredOn && rapid.Bool().Draw(t, "boots") {
		w.boots++
	}
	if f.Host.Key {
		w.keySeenAt = w.now
	}
	return w
}

// TestFromAnyRecord: whatever the record says, and however little that fits the world, the cycle ends and leaves nothing on the host.
func TestFromAnyRecord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyRecordOf(t)
		w.ended(longest(&w.f.Spec))
	})
}

// TestReleaseNeedsOnlyTheHost: while nothing but the host can be read, it does not stay off, unless a person wants it off.
func TestReleaseNeedsOnlyTheHost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyRecordOf(t)
		w.f.Spec.Until = rapid.SampledFrom([]v1alpha1.Step{"", v1alpha1.StepPowerOff, v1alpha1.StepDelete}).Draw(t, "until")
		steps := maps.Clone(w.f.Machine.Steps)
		machineUnreadable(&w.f)
		w.f.Machine.Steps = steps
		nodeUnreadable(&w.f)
		w.goOn(powerOffTimeout + proofTime + 2*isolateTimeout + time.Minute)
		if w.f.Status.Phase == v1alpha1.Holding && !w.f.Deleting {
			return
		}
		w.goOn(time.Hour)
		if h := w.f.Host; h.UID == "h-1" && (h.Key || h.Probe || !h.PoweredOn) {
			t.Fatalf("in phase %s, the host is %+v", w.f.Status.Phase, h)
		}
	})
}
