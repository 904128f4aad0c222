package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
)

// answers are the commands by which a person can have a say in a repair.
func (r *Record) answers() []Command {
	status := r.Record.Status
	switch {
	case r.ended() || status.Phase == v1alpha1.RemediationProbation:
		return nil
	case status.Phase == v1alpha1.RemediationHeld:
		return []Command{r.goOn(), r.answer("cancel", cancels)}
	case reasonOf(status) == v1alpha1.ReasonApprovalRequired:
		step := "Step " + status.Step
		return []Command{r.answer("approve", step+" may act"), r.answer("deny", step+" is not done, and a person decides")}
	}
	if status.Phase == v1alpha1.RemediationActing {
		return []Command{r.answer("cancel", "What was asked for is taken back, and a person decides")}
	}
	return []Command{r.answer("cancel", cancels)}
}

// goOn is the command that ends a hold. After a step that has asked a person, the plan goes on with the step after it.
func (r *Record) goOn() Command {
	steps, step := r.Record.Spec.Steps, r.Record.Status.Step
	asks := slices.ContainsFunc(steps, func(s v1alpha1.RemediationStep) bool { return s.Name == step && s.Action == v1alpha1.ActionHold })
	if next := ladder.StepAfter(steps, step); asks && next != "" {
		one := command("retry", "mr/"+r.Record.Name, r.Record.Namespace, "Step "+next+" begins, once a slot is granted", " --from "+next)
		one.Step = next
		return one
	}
	return r.answer("retry", "The step that was tried last begins again, once a slot is granted")
}

// cancels is what comes of a repair that is cancelled while nothing of it stands.
const cancels = "Nothing more is tried, unless somebody retries it. The repair ends when the machine is healthy or gone"

func (r *Record) answer(verb, does string) Command {
	return command(verb, "mr/"+r.Record.Name, r.Record.Namespace, does, "")
}

func command(verb, object, namespace, does, flags string) Command {
	return Command{Verb: verb, Object: object, Namespace: namespace, Does: does, Line: fmt.Sprintf("%s %s -n %s%s", verb, object, namespace, flags)}
}

// holds are the commands that leave an object alone, or end that.
func holds(kind string, obj metav1.Object, now time.Time) []Command {
	name, namespace := kind+"/"+obj.GetName(), obj.GetNamespace()
	if value, ok := obj.GetAnnotations()[mhcspec.HoldUntilAnnotation]; ok {
		until, err := time.Parse(time.RFC3339, value)
		if err != nil || now.Before(until) {
			return []Command{command("release", name, namespace, "The hold ends now", "")}
		}
	}
	return []Command{command("hold", name, namespace, "Nothing new is done until a time that you choose", " --for 2h --reason 'why'")}
}

// typed joins commands as a person types them.
func typed(commands []Command) string {
	var lines []string
	for _, one := range commands {
		lines = append(lines, "sickbay "+one.Line)
	}
	return strings.Join(lines, " | ")
}
