package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// answers returns the commands by which a person can decide about a repair.
func (r *Record) answers() []Command {
	status := r.Record.Status
	switch {
	case r.ended() || status.Phase == v1alpha1.RemediationProbation || r.deletion():
		return nil
	case r.cancelled() && status.Phase == v1alpha1.RemediationHeld:
		return []Command{r.goOn()}
	case r.cancelled():
		return nil
	case status.Phase == v1alpha1.RemediationHeld:
		return []Command{r.goOn(), r.answer("cancel", cancels)}
	case ladder.Progress(&status).Reason == v1alpha1.ReasonApprovalRequired:
		step := "Step " + status.Step
		return []Command{r.answer("approve", step+" begins when a slot is free"), r.answer("deny", step+" does not begin: "+r.stops())}
	}
	if status.Phase == v1alpha1.RemediationActing {
		return []Command{r.answer("cancel", "Sickbay withdraws the request; "+r.stops())}
	}
	return []Command{r.answer("cancel", cancels)}
}

// deletion reports whether all that is left is to wait until the machine is deleted, which nobody can take back.
func (r *Record) deletion() bool {
	attempt := ladder.AtWork(r.Record)
	if attempt == nil {
		return r.Facts.Machine.Deleting()
	}
	step, _ := ladder.StepNamed(r.Record, attempt.Step)
	return r.Facts.Machine.Deleting() && step.Action == v1alpha1.ActionReplace
}

// cancelled reports whether a person has cancelled the repair, and nobody has retried it since.
func (r *Record) cancelled() bool {
	if d := ladder.DecisionAbout(r.Record); d != nil {
		return d.Answer == v1alpha1.AnswerCancel
	}
	// The decision is about an attempt that is over by now.
	last := ladder.Last(&r.Record.Status)
	return r.Record.Status.Step == "" && last != nil && last.Result == v1alpha1.ResultCancelled ||
		r.Record.Status.Phase == v1alpha1.RemediationHeld && ladder.Progress(&r.Record.Status).Reason == v1alpha1.ReasonCancelled
}

// goOn returns the command that ends Held. If the step asked a person, the plan continues with the next step.
func (r *Record) goOn() Command {
	steps, step := r.Record.Spec.Steps, r.Record.Status.Step
	asks := slices.ContainsFunc(steps, func(s v1alpha1.RemediationStep) bool { return s.Name == step && s.Action == v1alpha1.ActionHold })
	if next := ladder.StepAfter(steps, step); asks && next != "" {
		one := command("retry", "mr/"+r.Record.Name, r.Record.Namespace, "Step "+next+" begins when a slot is free", " --from "+next)
		one.Step = next
		return one
	}
	return r.answer("retry", "The last step begins again when a slot is free")
}

// stops says what happens once a person has denied or cancelled a step.
func (r *Record) stops() string {
	if r.Record.Spec.AskedFor() {
		return "the repair ends"
	}
	return "nothing more is tried unless somebody retries"
}

// cancels says what happens if a person cancels a repair that is not acting.
const cancels = "Nothing more is tried unless somebody retries. The repair ends when the machine is healthy or gone"

func (r *Record) answer(verb, does string) Command {
	return command(verb, "mr/"+r.Record.Name, r.Record.Namespace, does, "")
}

func command(verb, object, namespace, does, flags string) Command {
	return Command{Verb: verb, Object: object, Namespace: namespace, Does: does, Line: fmt.Sprintf("%s %s -n %s%s", verb, object, namespace, flags)}
}

// holdable is an object that can be on hold.
type holdable interface {
	metav1.Object
	runtime.Object
}

// holds returns the command that puts an object on hold, or that ends its hold.
func holds(kind string, obj holdable, now time.Time) []Command {
	name, namespace := kind+"/"+obj.GetName(), obj.GetNamespace()
	if why, _ := mhcspec.OnHold(now, obj); why != "" {
		return []Command{command("release", name, namespace, "The hold ends now", "")}
	}
	return []Command{command("hold", name, namespace, "No new repairs begin until a time that you choose", " --for 2h --reason 'why'")}
}

// typed joins commands in the form in which a person types them.
func typed(commands []Command) string {
	var lines []string
	for _, one := range commands {
		lines = append(lines, "sickbay "+one.Line)
	}
	return strings.Join(lines, " | ")
}
