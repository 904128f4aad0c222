package machinehealthcheck

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/targets"
)

// Decision is what is to be done and to be said about a MachineHealthCheck.
type Decision struct {
	// Paused names the causes for which nothing may be done; then all else is empty.
	Paused []string
	Counts Counts
	// Problems are what is wrong with the configuration; then nothing is remediated.
	Problems []string
	// Allowed tells whether remediation is allowed at all.
	Allowed bool
	// Remedies are those to apply now, the longest sick first.
	Remedies []Remedy
	// Next are those of the waiting that take the place of a remedy which turns out
	// not to be needed, or which cannot be applied: in their order.
	Next []Remedy
	// Waiting are sick Machines whose turn has not come, and why.
	Waiting []Waiting
	// Withdraw are Machines that are healthy again while a request stands.
	Withdraw []Target
	// DryRun tells that everything must only be told, not done.
	DryRun bool
	// RecheckAt is when the decision can change by itself; zero means never.
	RecheckAt time.Time

	trigger trigger
	// budget is how many remedies may run at once; negative if there is no bound.
	budget int
	// unseen is how many remedies are in flight beside those that are counted.
	unseen int
}

// Remedy is one that is due.
type Remedy struct {
	Target Target
	Kind   remedy.Kind
}

// Waiting is a sick Machine that gets no remedy now.
type Waiting struct {
	Target Target
	Why    string
}

// Decide says what is to be done for a MachineHealthCheck.
func Decide(f Facts, now time.Time) Decision {
	mhc := f.MachineHealthCheck
	if paused := targets.Paused(mhc, f.Cluster); len(paused) > 0 {
		return Decision{Paused: paused}
	}
	d := Decision{Counts: count(f.Targets), budget: unbounded, unseen: len(f.Unseen)}
	config, problems := ParseConfig(mhc)
	problems = append(problems, specProblems(f)...)
	trigger, err := newTrigger(mhc.Spec.Remediation.TriggerIf, d.Counts.Expected)
	if err != nil {
		problems = append(problems, err.Error())
	}
	d.Withdraw, d.DryRun = withdrawals(f.Targets), config.DryRun
	if len(problems) > 0 {
		d.Problems = problems
		return d
	}
	if slices.ContainsFunc(f.Targets, func(target Target) bool { return target.Doubtful }) {
		d.RecheckAt = now.Add(doubtRetry)
	}
	d.trigger = trigger
	d.budget = budget(config.MaxInFlight, d.Counts.Expected)
	d.Allowed = trigger.allows(d.Counts.Unhealthy())
	if d.Allowed {
		d.choose(f, config.Strategy, now)
	}
	return d
}

// specProblems are what Cluster API's webhook would refuse, or should.
func specProblems(f Facts) []string {
	var problems []string
	if f.SelectorProblem != nil {
		problems = append(problems, f.SelectorProblem.Error())
	}
	// The requests of such a kind would be of the kind of the template.
	if ref := f.MachineHealthCheck.Spec.Remediation.TemplateRef; ref.IsDefined() && !strings.HasSuffix(ref.Kind, clusterv1.TemplateSuffix) {
		problems = append(problems, fmt.Sprintf("spec.remediation.templateRef.kind is %q: it must end in %s", ref.Kind, clusterv1.TemplateSuffix))
	}
	return problems
}

// choose picks remedies for the sick, the longest sick first, as long as the
// budget lasts.
func (d *Decision) choose(f Facts, strategy remedy.Kind, now time.Time) {
	for _, target := range f.Targets {
		d.RecheckAt = healthcheck.Earliest(d.RecheckAt, target.ActedUntil)
	}
	for _, until := range f.Unseen {
		d.RecheckAt = healthcheck.Earliest(d.RecheckAt, until)
	}
	free := d.free()
	for _, target := range longestSickFirst(f.Targets) {
		kind := remedy.Choose(f.MachineHealthCheck, target.Machine, strategy)
		if why, until := d.obstacle(f, target, kind, now); why != "" {
			d.RecheckAt = healthcheck.Earliest(d.RecheckAt, until)
			d.Waiting = append(d.Waiting, Waiting{target, why})
			continue
		}
		if free == 0 {
			d.Waiting = append(d.Waiting, Waiting{target, "as many remediations as allowed are in flight"})
			d.Next = append(d.Next, Remedy{target, kind})
			continue
		}
		free--
		d.Remedies = append(d.Remedies, Remedy{target, kind})
	}
}

// obstacle says why a remedy cannot be applied, whatever the budget, and until when.
func (d *Decision) obstacle(f Facts, target Target, kind remedy.Kind, now time.Time) (why string, until time.Time) {
	switch kind {
	case remedy.Request:
		if f.Template.Missing != "" {
			return f.Template.Missing, now.Add(templateRetry)
		}
	case remedy.Reboot:
		if due := rebootDueAt(f.MachineHealthCheck, target.Machine); now.Before(due) {
			return rebootedLately, due
		}
	case remedy.Owner, remedy.Delete:
	}
	return "", time.Time{}
}

const (
	// templateRetry is how soon a missing template is looked for again when its
	// kind is not installed, so that it cannot be watched.
	templateRetry = 15 * time.Second
	// minRebootPause is the least time between two reboots of a host.
	minRebootPause = 5 * time.Minute
)

// rebootedLately is why a Machine must wait until rebootDueAt.
const rebootedLately = "its host was rebooted a short time ago"

// rebootDueAt is when a Machine may be rebooted again: a host needs time to come up.
func rebootDueAt(mhc *clusterv1.MachineHealthCheck, machine *clusterv1.Machine) time.Time {
	return remedy.RebootDueAt(machine, max(machinehealth.RulesOf(mhc).StartupTimeout, minRebootPause))
}

// longestSickFirst returns the sick Machines on which no remedy is at work.
func longestSickFirst(all []Target) []Target {
	var sick []Target
	for _, target := range all {
		if target.sick() && !target.inFlight() {
			sick = append(sick, target)
		}
	}
	slices.SortStableFunc(sick, func(a, b Target) int {
		return cmp.Or(a.sickSince().Compare(b.sickSince()), cmp.Compare(a.Machine.Name, b.Machine.Name))
	})
	return sick
}

func withdrawals(all []Target) []Target {
	var healthy []Target
	for _, target := range all {
		if target.healthy() && target.Request != nil && target.Request.DeletionTimestamp.IsZero() {
			healthy = append(healthy, target)
		}
	}
	return healthy
}
