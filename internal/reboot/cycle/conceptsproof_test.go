package cycle

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

// TestConceptsProof renders when a host counts as off.
func TestConceptsProof(t *testing.T) {
	otherProbe := func(f *Facts) { f.Host.OtherProbe = true }
	table := [][]string{{"our key", "the request beside it", "the host", "so Sickbay"}}
	for _, c := range []struct {
		key, request, host string
		is                 []change
		after              time.Duration
	}{
		{"is not there yet", "", "says on", []change{on}, 0},
		{"is there", "is not answered yet", "says on", []change{keyed, probed, keySeen, seenOn, on}, 0},
		{"is there", "is not answered yet", "says off, was seen on", []change{keyed, probed, keySeen, seenOn, off}, 0},
		{"is there", "is answered", "says off, was seen on", []change{keyed, keySeen, seenOn, off}, 0},
		{"is not there yet", "", "says off", []change{off}, 0},
		{"is there", "is answered", "says off, was never seen on", []change{keyed, keySeen, off}, 0},
		{"is there for " + conceptsMinutes(settleTime), "is answered", "says off, was never seen on", []change{keyed, keySeen, off}, settleTime},
		{"is there", "made again, not answered yet", "says off, was never seen on", []change{keyed, keySeen, probed, off, probedAt(settleTime)}, settleTime},
		{"is there", "made again, answered", "says off, was never seen on", []change{keyed, keySeen, off, probedAt(settleTime)}, settleTime},
		{"is there for " + conceptsMinutes(settleTime), "somebody else's, not answered yet", "says off, was never seen on", []change{keyed, keySeen, off, otherProbe}, settleTime},
		{"was removed by somebody", "", "says off, was seen on", []change{unkeyed, keySeen, seenOn, off}, 0},
		{"is there", "is answered", "says off, was seen on, and is unreliable (the table below)", []change{keyed, keySeen, seenOn, off, obstacleIs(v1alpha1.ReasonHostPaused)}, 0},
	} {
		table = append(table, []string{c.key, c.request, c.host, conceptsProves(in(v1alpha1.PoweringOff, c.is...), noon.Add(c.after))})
	}
	docs.Section(t, conceptsFile, "reboot proof", docs.Table(table...))
}

// conceptsProves says in words what Decide does while a host is to be proven off.
func conceptsProves(f Facts, now time.Time) string {
	var lost string
	f.Host.KeySeenFor = now.Sub(noon.Time)
	for range maxSteps {
		d := Decide(f, now)
		switch {
		case d.Status.Phase == v1alpha1.Fenced:
			return "**has the proof**"
		case d.Status.KeysLost > f.Status.KeysLost:
			lost = ", emits an event, and starts the proof over"
		}
		if !d.Changed {
			return conceptsWaits(f, d, now) + lost
		}
		f.Status = d.Status
	}
	return ""
}

func conceptsWaits(f Facts, d Decision, now time.Time) string {
	timeout := noon.Add(v1alpha1.DefaultPowerOffTimeout)
	switch {
	case d.Action == SetKey && f.Host.Key:
		return "makes the request again"
	case d.Action == SetKey:
		return conceptsActions[SetKey]
	case d.RecheckAt.Before(timeout):
		return "waits " + conceptsMinutes(d.RecheckAt.Sub(now))
	default:
		return "waits" + conceptsProof(f)
	}
}

func conceptsMinutes(d time.Duration) string { return strings.TrimSuffix(d.String(), "0s") }

// TestConceptsExits renders the table of exits: how a cycle ends early, and in which phases.
func TestConceptsExits(t *testing.T) {
	if len(conceptsExits) != len(exits) {
		t.Fatalf("%d of %d exits are shown", len(conceptsExits), len(exits))
	}
	table := [][]string{{"what has happened", "in", "it ends as", "a Node that was taken out of service"}}
	for i := range exits {
		e, node := &exits[i], "is left as it is"
		if e.gently {
			node = "gets back what it had first, with the deadlines of a cycle"
		}
		where := conceptsWhere(e, conceptsExits[i])
		if where == "" {
			t.Errorf("nobody comes to the exit %q", e.message)
		}
		message := strings.ReplaceAll(e.message, " HOST", "")
		table = append(table, []string{message, where, docs.Code(string(e.phase)) + ", " + docs.Code(e.outcome), node})
	}
	docs.Section(t, conceptsFile, "reboot exits", docs.Table(table...))
}

// conceptsWhere returns the phases in which an exit is taken.
func conceptsWhere(want *exit, happened change) string {
	var names []string
	for _, p := range phases {
		f := in(p.name, happened)
		d := &draft{f: f, s: f.Status, now: noon.Time}
		if i := slices.IndexFunc(exits, func(e exit) bool { return e.is(d) }); i >= 0 && &exits[i] == want {
			names = append(names, docs.Code(string(p.name)))
		}
	}
	switch len(names) {
	case len(phases):
		return "any phase"
	case len(phases) - 1:
		return "any phase but " + docs.Code(string(v1alpha1.Pending))
	}
	return strings.Join(names, ", ")
}

// conceptsExits are the events for the rows of the table of exits, in its order.
var conceptsExits = []change{
	machineGone,
	func(f *Facts) { f.Host.Missing = "gone" },
	ofOthers,
	func(f *Facts) { f.Host.Deleting = true },
	func(f *Facts) { f.Host.Fenceable = false },
	deleting,
}
