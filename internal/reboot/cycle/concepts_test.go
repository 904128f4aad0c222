package cycle

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

//go:generate go test -run ^TestConcepts . -update

const conceptsFile = "../../../docs/power-cycles.md"

// conceptsPhase has two examples of a phase: a cycle that waits in it, and one whose wait is over.
type conceptsPhase struct{ waits, arrive []change }

func conceptsPhases() map[v1alpha1.Phase]conceptsPhase {
	asksForOn := asking(v1alpha1.StepPowerOn)
	nodeDeleting := func(f *Facts) { f.Node.Node.DeletionTimestamp = &noon }
	has := func(f *Facts) { f.Node.Node.Labels = map[string]string{"team": "a"} }
	return map[v1alpha1.Phase]conceptsPhase{
		v1alpha1.Pending:        {[]change{missing}, nil},
		v1alpha1.PoweringOff:    {[]change{keyed, keySeen, seenOn, probed}, []change{keyed, keySeen, seenOn, off}},
		v1alpha1.Fenced:         {[]change{nodeUnreadable}, nil},
		v1alpha1.Isolating:      {[]change{nodeDeleting}, []change{nodeGone}},
		v1alpha1.Holding:        {[]change{asking()}, []change{asksForOn}},
		v1alpha1.PoweringOn:     {nil, []change{on}},
		v1alpha1.WaitingForNode: {nil, []change{nodeIs(nodeOf("node-2", "boot-2"))}},
		v1alpha1.Restoring:      {nil, []change{has}},
	}
}

// TestConceptsPhases renders the table of phases: what each waits for, for how long, and what comes next.
func TestConceptsPhases(t *testing.T) {
	table := [][]string{{"phase", "the host", "lasts until", "then", "no longer than", "counted from `status`", "otherwise"}}
	shown := conceptsPhases()
	for _, p := range phases {
		c, ok := shown[p.name]
		if !ok {
			t.Errorf("phase %s is not shown", p.name)
		}
		f := conceptsWaiting(p.name, c.waits...)
		deadline := Decide(f, noon.Time).RecheckAt
		row := []string{docs.Code(string(p.name)), conceptsHost(p), p.awaits, conceptsNext(in(p.name, c.arrive...), noon.Time), "", conceptsClock(p), ""}
		if !deadline.IsZero() {
			row[4], row[6] = conceptsTimeout(deadline.Sub(noon.Time)), conceptsNext(f, deadline)
		}
		table = append(table, row)
	}
	docs.Section(t, conceptsFile, "reboot phases", docs.Table(table...))
}

func conceptsHost(p phase) string {
	switch {
	case p.keepsOff && p.off:
		return "kept off, proven off"
	case p.keepsOff:
		return "kept off"
	case p.off:
		return "may come on"
	}
	return "left alone"
}

// conceptsClock returns the field of the status that has the clock of a phase.
func conceptsClock(p phase) string {
	if p.clock == nil {
		return ""
	}
	var s v1alpha1.RebootRemediationStatus
	clock, of := reflect.ValueOf(p.clock(&s)).Pointer(), reflect.ValueOf(&s).Elem()
	for i := range of.NumField() {
		if of.Field(i).Addr().Pointer() == clock {
			return docs.Code(strings.TrimSuffix(of.Type().Field(i).Tag.Get("json"), ",omitempty"))
		}
	}
	return "?"
}

// conceptsWaiting returns a waiting cycle whose timeouts are all different.
func conceptsWaiting(phase v1alpha1.Phase, changes ...change) Facts {
	f := in(phase, changes...)
	f.Spec.PowerOffTimeoutSeconds, f.Spec.PowerOnTimeoutSeconds, f.Spec.NodeTimeoutSeconds = new(int32(1001)), new(int32(1002)), new(int32(1003))
	return settled(f)
}

// conceptsTimeout names the setting of a timeout, if it has one.
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

// conceptsNext returns the next phase of a cycle, with the reason if it ends.
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

// TestPhasesAreComplete: each phase either has one row or is an end. Each wait has a clock and a limit, unless a person
// decides when it is over.
func TestPhasesAreComplete(t *testing.T) {
	for _, stage := range stages {
		rows := 0
		for _, p := range phases {
			if p.name == stage.phase {
				rows++
			}
		}
		if want := stage.phase != "" && !stage.phase.Ended(); (rows == 1) != want {
			t.Errorf("phase %q has %d rows", stage.phase, rows)
		}
	}
	for _, p := range phases {
		if p.awaits == "" || p.goOn == nil || p.withoutMachine == nil || (p.clock == nil) != (p.name == v1alpha1.Holding) || (p.clock == nil) != (p.limit == nil) {
			t.Errorf("the row of %s: %+v", p.name, p)
		}
	}
}
