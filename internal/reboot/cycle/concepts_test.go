package cycle

import (
	"slices"
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

//go:generate go test -run ^TestConcepts . -update

const conceptsFile = "../../../docs/concepts.md"

// conceptsPhase is a row about a phase: what is waited for, in words, a cycle that waits for it, and one in which it has come.
type conceptsPhase struct {
	phase         v1alpha1.Phase
	until         string
	waits, arrive []change
}

func conceptsPhases() []conceptsPhase {
	well := func(f *Facts) { f.Machine.Sick = false }
	asksForOff := func(f *Facts) {
		f.Machine.ByAnnotation, f.Machine.Keys = true, map[v1alpha1.Step]bool{v1alpha1.StepPowerOff: true}
	}
	asksForOn := func(f *Facts) { f.Machine.Keys[v1alpha1.StepPowerOn] = true }
	nodeDeleting := func(f *Facts) { f.Node.Node.DeletionTimestamp = &noon }
	has := func(f *Facts) { f.Node.Node.Labels = map[string]string{"team": "a"} }
	return []conceptsPhase{
		{v1alpha1.Pending, "the host can be worked with", []change{missing}, nil},
		{v1alpha1.PoweringOff, "the host is proven off", []change{keyed, keySeen, seenOn, probed}, []change{keyed, keySeen, seenOn, off}},
		{v1alpha1.Fenced, "it is known which Node there is", []change{nodeUnreadable}, nil},
		{v1alpha1.Isolating, "the Node is gone, or let go of", []change{nodeDeleting}, []change{nodeGone}},
		{v1alpha1.Holding, "somebody asks for more", []change{asksForOff}, []change{asksForOff, asksForOn}},
		{v1alpha1.PoweringOn, "the host is on", nil, []change{on}},
		{v1alpha1.WaitingForNode, "the Node is back", nil, []change{nodeIs(nodeOf("node-2", "boot-2"))}},
		{v1alpha1.Restoring, "the Node has what it had, and is Ready", nil, []change{has}},
		{v1alpha1.WaitingForMachine, "the machine is not called sick any more", nil, []change{well}},
		{v1alpha1.CoolingDown, "the host has had a rest", nil, nil},
	}
}

// TestConceptsPhases renders what is waited for in each phase, for how long, and what comes next.
func TestConceptsPhases(t *testing.T) {
	table := [][]string{{"phase", "it is waited until", "then", "no longer than", "otherwise", "in the last attempt"}}
	for _, c := range conceptsPhases() {
		f := conceptsWaiting(c.phase, c.waits...)
		deadline := Decide(f, noon.Time).RecheckAt
		row := []string{docs.Code(string(c.phase)), c.until, conceptsNext(in(c.phase, c.arrive...), noon.Time), "", "", ""}
		if !deadline.IsZero() {
			late := conceptsNext(f, deadline)
			lastAttempt(&f)
			row[3], row[4], row[5] = conceptsTimeout(deadline.Sub(noon.Time)), late, conceptsNext(f, deadline)
		}
		switch {
		case c.phase == v1alpha1.CoolingDown:
			// Here the deadline is what is waited for, and there is no such phase after the last attempt.
			row[2], row[4], row[5] = row[4], "", ""
		case row[4] == row[5]:
			row[5] = ""
		}
		table = append(table, row)
	}
	docs.Section(t, conceptsFile, "reboot phases", docs.Table(table...))
}

// conceptsWaiting is a cycle that waits, with timeouts that can be told from each other.
func conceptsWaiting(phase v1alpha1.Phase, changes ...change) Facts {
	f := in(phase, changes...)
	f.Spec.PowerOffTimeoutSeconds, f.Spec.PowerOnTimeoutSeconds, f.Spec.NodeTimeoutSeconds = new(int32(1001)), new(int32(1002)), new(int32(1003))
	return settled(f)
}

// conceptsTimeout gives a wait the name of its setting, if it has one.
func conceptsTimeout(wait time.Duration) string {
	switch wait {
	case 1001 * time.Second:
		return "`powerOffTimeoutSeconds`"
	case 1002 * time.Second:
		return "`powerOnTimeoutSeconds`"
	case 1003 * time.Second:
		return "`nodeTimeoutSeconds`"
	default:
		return wait.String()
	}
}

// conceptsNext is the phase that a cycle goes to, with the reason if it ends.
func conceptsNext(f Facts, now time.Time) string {
	for range maxSteps {
		d := Decide(f, now)
		if d.Status.Phase != f.Status.Phase {
			next := docs.Code(string(d.Status.Phase))
			if reason := reasonOf(d.Status, v1alpha1.ConditionSucceeded); d.Status.Phase.Ended() && reason != string(d.Status.Phase) {
				next += ", " + docs.Code(reason)
			}
			return next
		}
		if !d.Changed {
			break
		}
		f.Status = d.Status
	}
	return ""
}

// TestConceptsPhasesAreComplete: each phase that is not an end has a row.
func TestConceptsPhasesAreComplete(t *testing.T) {
	for _, stage := range stages {
		shown := slices.ContainsFunc(conceptsPhases(), func(c conceptsPhase) bool { return c.phase == stage.phase })
		if want := stage.phase != "" && !stage.phase.Ended(); shown != want {
			t.Errorf("phase %q is shown: %v, want %v", stage.phase, shown, want)
		}
	}
}
