package admission

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// Waiting is a machine that is due but not admitted.
type Waiting struct {
	Machine string
	UID     types.UID
	// Reason is one word, and Why a phrase.
	Reason, Why string
}

func (d *Decision) wait(one Admission, obstacle Obstacle) {
	d.Waiting = append(d.Waiting, Waiting{one.Machine.Name, one.Machine.UID, obstacle.Reason, obstacle.Message})
}

// ReasonExpected says that the cache does not show earlier admissions yet. It takes milliseconds.
const ReasonExpected = "Expected"

// ReasonAwaited says that the machine replaces another one, whose record has not judged it yet.
const ReasonAwaited = "Awaited"

// ReasonOtherCheck says that another MachineHealthCheck repairs the machine.
const ReasonOtherCheck = "OtherCheck"

// TemplateRetry is how long to wait before looking for a missing template again: if its kind is not installed, it cannot be watched.
const TemplateRetry = 15 * time.Second

// stopped says why nobody is admitted.
func stopped(f Facts, problems []string, now time.Time) Obstacle {
	if f.KindsMissing {
		return Obstacle{
			Reason:  ReasonKindsNotInstalled,
			Message: "the kind MachineRemediation of " + v1alpha1.GroupVersion.Group + " is not installed; sickbay crds | kubectl apply -f - installs it",
		}
	}
	if len(problems) > 0 {
		return Obstacle{Reason: ReasonInvalidConfiguration, Message: strings.Join(problems, "; ")}
	}
	if !f.Cluster.DeletionTimestamp.IsZero() {
		return Obstacle{Reason: ReasonDeleting, Message: "Cluster " + f.Cluster.Name + " is being deleted"}
	}
	if why, until := mhcspec.OnHold(now, f.MachineHealthCheck, f.Cluster); why != "" {
		return Obstacle{ReasonOnHold, why, until}
	}
	return Obstacle{}
}

// obstacle says why a machine is not admitted, apart from slots.
func (d *Decision) obstacle(f Facts, one Admission, now time.Time) Obstacle {
	if one.other != "" {
		return Obstacle{Reason: ReasonOtherCheck, Message: "MachineHealthCheck " + one.other + " selects the machine, too, and repairs it"}
	}
	if d.Stopped.Reason != "" {
		return d.Stopped
	}
	if one.awaitedBy != "" {
		return Obstacle{Reason: ReasonAwaited, Message: "it replaces another machine, and MachineRemediation " + one.awaitedBy + " decides whether it is healthy"}
	}
	if why, until := mhcspec.OnHold(now, one.Machine); why != "" {
		return Obstacle{v1alpha1.ReasonOnHold, why, until}
	}
	if one.suspected != "" {
		return Obstacle{Reason: ReasonSignalSuspected, Message: one.suspected}
	}
	if !d.gate.allows(d.Counts, one.first()) {
		return Obstacle{Reason: v1alpha1.ReasonGateClosed, Message: d.gateMessage()}
	}
	// Without its plan, limit, pace and mode are unknown, so records do not go on either.
	if f.Template.Missing != "" && (one.Record == nil || mhcspec.NamesPlan(f.MachineHealthCheck)) {
		return Obstacle{ReasonTemplateNotFound, f.Template.Missing, now.Add(TemplateRetry)}
	}
	return f.recentFailure(one, now)
}

// recentFailure says that an admission failed a short time ago.
func (f Facts) recentFailure(one Admission, now time.Time) Obstacle {
	if retry := f.Failures[one.Machine.UID].RetryAt; now.Before(retry) {
		return Obstacle{v1alpha1.ReasonBackoff, "it could not be admitted, and is tried again later", retry}
	}
	return Obstacle{}
}

// Problems says what is wrong with the settings of a MachineHealthCheck. Nothing is repaired until somebody corrects them.
func Problems(f Facts) []string {
	_, _, problems := configuration(f)
	return problems
}

// configuration is the settings of a MachineHealthCheck, and what is wrong with them.
func configuration(f Facts) (mhcspec.Config, gate, []string) {
	config, problems := mhcspec.ParseConfig(f.MachineHealthCheck, f.Template.Plan)
	problems = append(problems, specProblems(f)...)
	limits, err := newGate(f.MachineHealthCheck.Spec.Remediation.TriggerIf, len(f.Targets))
	if err != nil {
		problems = append(problems, err.Error())
	}
	return config, limits, problems
}

// specProblems are those that Cluster API's webhook would refuse, or should.
func specProblems(f Facts) []string {
	var problems []string
	if f.SelectorProblem != nil {
		problems = append(problems, f.SelectorProblem.Error())
	}
	if f.Template.Problem != "" {
		problems = append(problems, f.Template.Problem)
	}
	// Requests made from it would have the kind of the template.
	if ref := f.MachineHealthCheck.Spec.Remediation.TemplateRef; ref.IsDefined() && !strings.HasSuffix(ref.Kind, clusterv1.TemplateSuffix) {
		problems = append(problems, fmt.Sprintf("spec.remediation.templateRef.kind is %q: it must end in %s", ref.Kind, clusterv1.TemplateSuffix))
	}
	return problems
}
