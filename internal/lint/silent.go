package lint

import (
	"cmp"
	"fmt"
	"slices"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/humanize"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/silence"
)

// silent finds machines whose owner is asked to replace them, and never will.
func (l *linter) silent(c *check) {
	selected, _ := l.selected(c)
	config, _ := mhcspec.ParseConfig(&c.mhc, c.template)
	facts := admission.Facts{MachineHealthCheck: &c.mhc}
	facts.Template.Plan = c.template
	steps := admission.Steps(facts, config)
	if config.OnlyReports() || first(steps, v1alpha1.ActionReplace) < 0 {
		return
	}
	l.undeletable(c, steps)
	of := map[silence.Why][]*clusterv1.Machine{}
	var causes []silence.Why
	for _, machine := range selected {
		owner := l.fleet.Owners[client.ObjectKeyFromObject(machine)]
		why := silence.Of(owner)
		if slices.ContainsFunc(steps, v1alpha1.RemediationStep.Deletes) && (why.Cause != silence.KindNeverAnswers || asksFirst(steps) == "") {
			why = silence.OfDeletion(owner)
		}
		if !why.Never() || why.Cause == silence.Deleting {
			continue
		}
		if of[why] == nil {
			causes = append(causes, why)
		}
		of[why] = append(of[why], machine)
	}
	slices.SortFunc(causes, func(a, b silence.Why) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Cause, b.Cause))
	})
	for _, why := range causes {
		l.add(c.find(Warning, fieldSelector, unanswered(why, of[why], asksFirst(steps))))
	}
}

// asksFirst returns the step of a plan that asks the owner before another step deletes the machine; empty if there is none.
func asksFirst(steps []v1alpha1.RemediationStep) string {
	i := slices.IndexFunc(steps, v1alpha1.RemediationStep.Marks)
	if i < 0 || slices.ContainsFunc(steps[:i], v1alpha1.RemediationStep.Deletes) || !slices.ContainsFunc(steps[i:], v1alpha1.RemediationStep.Deletes) {
		return ""
	}
	return steps[i].Name
}

// unanswered says that an owner never replaces some machines, why, and what helps. Asks is the step that asks the owner before another one deletes the machine.
func unanswered(why silence.Why, machines []*clusterv1.Machine, asks string) string {
	var titles []string
	for _, machine := range machines {
		titles = append(titles, machine.Name)
	}
	slices.Sort(titles)
	said := fmt.Sprintf("it selects %s that nobody replaces when sick (%s), because %s",
		humanize.Count(len(titles), "Machine", "Machines"), names(titles), why.Words())
	if asks != "" && why.Cause == silence.KindNeverAnswers {
		return said + fmt.Sprintf(": step %s of its plan asks in vain, and the plan never gets to the step that deletes them; remove step %s, or give it by: Deletion", asks, asks)
	}
	if command := why.Command(machines[0].Namespace, titles[0]); command != "" {
		said += ": " + command + " ends that"
		if why.EndsByDeletion() {
			said += ", and a plan whose step Replace has by: Deletion does it for all of them"
		}
		return said
	}
	return said + "; do not select them, or repair them with a plan that has other steps than Replace, or whose step Replace has by: Deletion"
}
