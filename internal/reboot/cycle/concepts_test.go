package cycle

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/docs"
	"github.com/sickbay-dev/sickbay/internal/testing/health"
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

//go:generate go test -run ^TestReference . -update

const referenceFile = "../../../docs/reference.md"

// TestReferenceLeftOut renders what is not put back on a Node, because a new one gets it by itself, or must not have it.
func TestReferenceLeftOut(t *testing.T) {
	labels := []string{
		corev1.LabelHostname, corev1.LabelOSStable, corev1.LabelArchStable, corev1.LabelWindowsBuild, "beta.kubernetes.io/os", "beta.kubernetes.io/arch",
	}
	for _, label := range labels {
		if kept := lastingLabels(map[string]string{label: ""}); len(kept) > 0 {
			t.Errorf("the label %s is kept", label)
		}
	}
	annotations := append(slices.Sorted(maps.Keys(maintainedAnnotations)), ovnPrefix+"...")
	taints := append(slices.Sorted(maps.Keys(transientTaints)), "..."+notReadySuffix)
	table := [][]string{{"of the Node", "left out"}}
	for _, row := range []struct {
		of    string
		names []string
	}{{"labels", labels}, {"annotations", annotations}, {"taints", taints}} {
		table = append(table, []string{row.of, docs.Code(strings.Join(row.names, "`, `"))})
	}
	docs.Section(t, referenceFile, "reboot left out", docs.Table(table...))
}

// TestKStatus: who waits for a cycle waits in each phase, and is told if it did not help.
func TestKStatus(t *testing.T) {
	for name, tt := range map[string]struct {
		facts Facts
		after time.Duration
		want  string
	}{
		"it begins":           {in(""), 0, "InProgress Pending"},
		"others come first":   {in(v1alpha1.Pending, throttled), 0, "InProgress Throttled"},
		"the host is off":     {in(v1alpha1.Fenced), 0, "InProgress Isolating"},
		"the Node is back":    {in(v1alpha1.Restoring, reports(time.Minute), func(f *Facts) { f.Status.Node.Backup = nil }), time.Minute, "Current"},
		"it stays on":         {in(v1alpha1.PoweringOff), time.Hour, "Failed PowerOffTimedOut"},
		"the machine is gone": {in(v1alpha1.PoweringOff, machineGone), 0, "Failed MachineGone"},
	} {
		t.Run(name, func(t *testing.T) {
			// What is left of an earlier phase does not count any more.
			tt.facts.Status = settled(tt.facts).Status
			d := Decide(tt.facts, noon.Add(tt.after))
			if got := health.KStatus(t, &v1alpha1.RebootRemediation{Status: d.Status}); got != tt.want {
				t.Errorf("kstatus answers %q, want %q: %+v", got, tt.want, d.Status.Conditions)
			}
		})
	}
}
