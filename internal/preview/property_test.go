package preview_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/preview"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

var answers = []v1alpha1.Answer{v1alpha1.AnswerApprove, v1alpha1.AnswerDeny, v1alpha1.AnswerRetry, v1alpha1.AnswerCancel}

// TestWhatIsProposedHasAnEffect: in any state in which a record settles, what Propose makes changes the course of the repair, and
// what it rejects would not. Deny is rejected more often: it is only for steps that wait for an approval. A decision about a record
// that is about to move on may come too late: it names an attempt, so it does nothing then.
func TestWhatIsProposedHasAnEffect(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyModel(t)
		for range rapid.IntRange(0, 12).Draw(t, "events") {
			anyEvent(t, w)
		}
		w.settle()
		for _, answer := range answers {
			asked := preview.Asked{Answer: answer, By: "alice", Command: "sickbay"}
			if answer == v1alpha1.AnswerRetry {
				asked.Step = rapid.SampledFrom(append([]string{""}, stepNames(w)...)).Draw(t, "step")
			}
			judge(t, w, asked)
		}
	})
}

func judge(t *rapid.T, w *model, asked preview.Asked) {
	t.Helper()
	d := v1alpha1.RemediationDecision{Attempt: max(1, w.f.Record.Status.Attempt), Answer: asked.Answer, Step: asked.Step, By: asked.By}
	p, err := preview.Propose(w.view(), asked, w.now)
	switch {
	case err == nil && p.Already == "":
		if diff := cmp.Diff(d, p.Decision, cmpopts.IgnoreFields(d, "Step")); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		if !hasEffect(w, p.Decision, true) {
			t.Fatalf("%s is proposed and changes nothing: %s", asked.Answer, preview.Is(w.f.Record))
		}
	case err != nil && ladder.DecisionAbout(w.f.Record) != nil:
		// Somebody has decided otherwise, and that decision is about to be carried out.
	case err != nil && asked.Answer != v1alpha1.AnswerDeny && !holds(w, asked.Step) && hasEffect(w, d, false):
		t.Fatalf("%s is refused and would change something: %v", asked.Answer, err)
	}
}

// holds reports whether a step leaves the machine to a person. Retrying it changes at most the messages.
func holds(w *model, name string) bool {
	if name == "" {
		return len(w.f.Record.Spec.Steps) == 1 && w.f.Record.Spec.Steps[0].Action == v1alpha1.ActionHold
	}
	for _, step := range w.f.Record.Spec.Steps {
		if step.Name == name {
			return step.Action == v1alpha1.ActionHold
		}
	}
	return false
}

// hasEffect plays the repair on with and without a decision; the machine stays as it is, and nothing is in the way. It reports
// whether the acts differ or, for words, the phases.
func hasEffect(w *model, d v1alpha1.RemediationDecision, words bool) bool {
	with, without := *w, *w
	with.writes(d)
	a, b := played(with), played(without)
	for i := range a {
		if !words {
			a[i].Phase, b[i].Phase = "", ""
		}
	}
	return !cmp.Equal(a, b, cmpopts.EquateEmpty())
}

// moment is the state of a record at a time.
type moment struct {
	Phase    v1alpha1.RemediationPhase
	Attempts []v1alpha1.RemediationAttempt
}

// played returns the course of a repair for most of a day.
func played(w model) []moment {
	w.f.Safety = ladder.Safety{Unmanaged: w.f.Safety.Unmanaged}
	if w.f.Machine.Health == ladder.Undecided {
		w.f.Machine.Health = ladder.Sick
	}
	var all []moment
	for range 30 {
		w.settle().granted().after(30 * time.Minute)
		s := w.f.Record.Status.DeepCopy()
		for i := range s.Attempts {
			if d := s.Attempts[i].Decision; d != nil {
				// Keep only that an attempt was approved: a record repeats it.
				s.Attempts[i].Decision = nil
			}
		}
		all = append(all, moment{s.Phase, s.Attempts})
	}
	return all
}

func stepNames(w *model) []string {
	names := make([]string, len(w.f.Record.Spec.Steps))
	for i := range w.f.Record.Spec.Steps {
		names[i] = w.f.Record.Spec.Steps[i].Name
	}
	return names
}

func anyModel(t *rapid.T) *model {
	steps := rapid.SliceOfNDistinct(rapid.SampledFrom([]v1alpha1.RemediationStep{watch, reboot, replace, ask, collect, fix}), 1, 4,
		func(s v1alpha1.RemediationStep) string { return s.Name }).Draw(t, "steps")
	for i := range steps {
		if ladder.Acts(steps[i].Action) && rapid.Bool().Draw(t, "approval") {
			steps[i] = approved(steps[i])
		}
	}
	w := newModel(steps...)
	if rapid.Bool().Draw(t, "orphan") {
		w.f.Machine.Owner = nil
	}
	if len(steps) == 1 && rapid.Bool().Draw(t, "built in") {
		w.f.Record.Spec.TemplateRef = nil
	}
	return w
}

// anyEvent makes something happen, and lets the record settle, or not.
func anyEvent(t *rapid.T, w *model) {
	switch rapid.IntRange(0, 9).Draw(t, "event") {
	case 0, 1:
		w.now = w.now.Add(time.Duration(rapid.IntRange(1, 120).Draw(t, "minutes")) * time.Minute)
	case 2:
		w.granted()
	case 3:
		w.f.Machine.Health = rapid.SampledFrom([]ladder.Health{ladder.Healthy, ladder.Sick, ladder.Undecided}).Draw(t, "health")
	case 4:
		if w.f.Machine.Mark.Stands() {
			w.f.Machine.Mark.State = rapid.SampledFrom([]ladder.MarkState{ladder.MarkAnswered, ladder.MarkRefused, ladder.MarkDeferred}).Draw(t, "mark")
		}
	case 5:
		if w.f.Request != nil {
			w.f.Request = new(*w.f.Request)
			w.f.Request.Succeeded = rapid.SampledFrom([]string{"True", "False"}).Draw(t, "succeeded")
		}
	case 6:
		w.f.Safety.Paused = rapid.SampledFrom([]ladder.Cause{{}, ladder.Said("It is paused")}).Draw(t, "paused")
	case 7, 8:
		answer := rapid.SampledFrom(answers).Draw(t, "answer")
		if p, err := preview.Propose(w.view(), preview.Asked{Answer: answer, By: "bob"}, w.now); err == nil && p.Already == "" {
			w.writes(p.Decision)
		}
	case 9:
		w.f.Machine.DeletingSince = w.now
		if rapid.Bool().Draw(t, "gone") {
			w.f.Machine = ladder.Machine{Gone: true}
		}
	}
	if rapid.IntRange(0, 3).Draw(t, "settles") > 0 {
		w.settle()
	}
}
