package ladder

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// row is a record with what was observed, and what is decided at noon.
type row struct {
	name  string
	facts Facts
	want  answer
}

// answer is a decision, in brief.
type answer struct {
	// Does is the act, and the number of its attempt.
	Does string
	// Says is the phase with the reason and the message of Progressing, if they are written.
	Says string
	// At is the step and the number of the attempt that is waited for; empty if that is the latest attempt.
	At string
	// Last is the latest attempt, with what came of it and what it has made.
	Last string
	// Free reports that the record has no slot any more.
	Free bool
	// Due is what the record says about when something happens, and Again when it is looked at next.
	Due, Again string
	// Ends is how the record ends.
	Ends string
}

// What the rows say most often: the phase, the reason and the exact message.
const (
	saysReplacing  = "Acting Acting: Step replace: waits for MachineSet md-0 to replace the machine; a person decides if that does not help"
	saysDeleting   = "Acting Acting: Step replace: the machine is being deleted; waits until it is gone"
	saysRebooting  = "Acting Acting: Step reboot, 1 of 2: waits for the power cycle of its host; one more attempt follows if that does not help"
	saysProbation  = "Probation Probation: The machine is healthy, and has to stay healthy"
	saysNoSlot     = "Pending NoSlot: Step replace waits for a slot of MachineHealthCheck workers"
	saysNoStepLeft = "Held NoStepLeft: No step is left; the last attempt: It did not help; a person decides"
	saysWatching   = "Acting Acting: Step watch: waits for the machine to recover by itself; a person decides if that does not help"
	saysUndecided  = "Pending Undecided: Sickbay cannot tell at the moment whether the machine is healthy"
	saysHold       = "Held HoldStep: Step ask stops the plan; a person decides"
)

// allRows are the rows of all rules, in their order.
func allRows() []row {
	return slices.Concat(rowsEnded(), rowsTakeOver(), rowsGone(), rowsReplaced(), rowsStopped(), rowsHandBack(), rowsWithdraw(), rowsPeople(),
		rowsRecovered(), rowsUnproven(), rowsAtWork(), rowsReplacing(), rowsDeletion(), rowsRequesting(), rowsNotBegun(), rowsHeld(), rowsRetry(), rowsPending(), rowsBackoff())
}

func TestEachRowIsDecidedAsItSays(t *testing.T) { checkRows(t, allRows()) }

// TestEachRowOfWhatWasAskedForIsDecidedAsItSays: such a record needs no slot, so its rows are not those of the phases in the documentation.
func TestEachRowOfWhatWasAskedForIsDecidedAsItSays(t *testing.T) { checkRows(t, rowsAskedFor()) }

func checkRows(t *testing.T, rows []row) {
	t.Helper()
	names := map[string]bool{}
	for _, tt := range rows {
		if names[tt.name] {
			t.Errorf("two rows are called %q", tt.name)
		}
		names[tt.name] = true
		t.Run(tt.name, func(t *testing.T) {
			d := (&look{TB: t, f: tt.facts, now: noon}).decide()
			if diff := cmp.Diff(tt.want, inBrief(tt.facts, d)); diff != "" {
				t.Errorf("decision (-want +got):\n%s", diff)
			}
		})
	}
}

// inBrief is a decision as an answer.
func inBrief(f Facts, d Decision) answer {
	s := d.Status
	a := answer{Last: lastOf(s), Free: !HasSlot(&v1alpha1.MachineRemediation{Spec: f.Record.Spec, Status: s}) && s.CompletionTime == nil}
	if last := Last(&s); (s.Step != "" || s.Attempt != 0) && (last == nil || last.Step != s.Step || last.Number != s.Attempt) {
		a.At = strings.TrimSpace(fmt.Sprintf("%s %d", s.Step, s.Attempt))
	}
	if d.Act != None {
		a.Does = strings.TrimSuffix(fmt.Sprintf("%s %d", d.Act, d.Attempt.Number), " 0")
	}
	if c := meta.FindStatusCondition(s.Conditions, v1alpha1.ConditionProgressing); d.Store && c != nil {
		a.Says = fmt.Sprintf("%s %s: %s", s.Phase, c.Reason, c.Message)
	}
	if c := meta.FindStatusCondition(s.Conditions, v1alpha1.ConditionSucceeded); c != nil {
		a.Ends = fmt.Sprintf("%s %s", c.Status, c.Reason)
	}
	if s.NextTransitionTime != nil {
		a.Due = s.NextTransitionTime.Sub(noon).String()
	}
	if !d.RecheckAt.IsZero() {
		a.Again = d.RecheckAt.Sub(noon).String()
	}
	return a
}

func lastOf(s v1alpha1.MachineRemediationStatus) string {
	last := Last(&s)
	if last == nil {
		return ""
	}
	text := fmt.Sprintf("%s %d", last.Step, last.Number)
	if last.Decision != nil {
		text += " (" + string(last.Decision.Answer) + ")"
	}
	if last.ObjectRef != nil {
		text += " made " + last.ObjectRef.Kind + " " + last.ObjectRef.Name
	}
	if last.Begun() {
		text += " since " + last.BeganAt.Sub(noon).String()
	}
	switch {
	case last.EndTime == nil && !last.Begun():
		return text + ", asked"
	case last.EndTime == nil:
		return text + ", at work"
	case last.Result == "":
		return text + ", open"
	}
	return text + ", " + string(last.Result) + ": " + last.Message
}

// TestFirstStatus shows one status whole.
func TestFirstStatus(t *testing.T) {
	f := with(plan(reboot(), replace()), waits("reboot", 2), noSlot, func(f *Facts) { f.Record.Spec.Grant = 2 })
	got := Decide(f, noon.Add(time.Millisecond)).Status
	want := v1alpha1.MachineRemediationStatus{
		ObservedGeneration: 1, Phase: v1alpha1.RemediationActing, Step: "reboot", Attempt: 2, ReleasedGrant: 1,
		StartTime:  ago(0),
		Attempts:   []v1alpha1.RemediationAttempt{{Number: 2, Step: "reboot", OperationID: recordUID + "/2", StartTime: ago(0)}},
		Conditions: got.Conditions,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
}
