package remediation

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/owners"
	"github.com/sickbay-dev/sickbay/internal/ownertemplate"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/onmachine"
	"github.com/sickbay-dev/sickbay/internal/repair/silence"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// safety reads what keeps Sickbay from acting on a Machine, apart from gate and budget.
func (r *Reader) safety(ctx context.Context, v *view) error {
	s := &v.facts.Safety
	if !r.OpenShift {
		s.Terminating = terminating(v.cluster)
	}
	if mhcspec.MachinePaused(v.machine) {
		s.Paused = ladder.Cause{What: ladder.Annotated, Name: clusterv1.PausedAnnotation}
	}
	if v.cluster != nil && mhcspec.ClusterPaused(v.cluster) {
		s.Paused = ladder.Cause{What: ladder.ClusterPaused}
	}
	if r.Policy.Drain {
		s.Unmanaged = ladder.Cause{What: ladder.Draining}
		return nil
	}
	asking, err := ownertemplate.Without(ctx, r.Live, v.machine)
	if err != nil && !scaffold.Answered(err) {
		return err
	}
	// If the API server answers that it cannot say, the annotation counts as a person's: nothing begins, and what stands is withdrawn where it must be.
	s.HeldByOthers, s.KeptOff = onmachine.HeldByOthers(asking, v.facts.Record), onmachine.KeptOff(asking, v.facts.Record)
	if err := r.hostFacts(ctx, v); err != nil {
		return err
	}
	if err := r.otherRecords(ctx, v); err != nil {
		return err
	}
	if v.facts.Record.Spec.AskedFor() {
		return r.safetyAsked(ctx, v)
	}
	return r.safetyOwn(ctx, v)
}

// safetyOwn reads what keeps Sickbay from acting for its own MachineHealthCheck.
func (r *Reader) safetyOwn(ctx context.Context, v *view) error {
	s := &v.facts.Safety
	if s.Unmanaged = r.unmanaged(v); s.Unmanaged.IsSet() || v.cluster == nil {
		return nil
	}
	if err := r.sharedFacts(ctx, v); err != nil {
		return err
	}
	v.facts.ResumedAt = r.resumedAt(v.mhc, v.machine, v.cluster)
	if paused := mhcspec.Paused(v.mhc, v.cluster); len(paused) > 0 {
		s.Paused = ladder.Said(strings.Join(paused, ", "))
	}
	s.OnHold, s.HoldUntil = mhcspec.OnHold(r.Clock.Now(), v.machine, v.mhc, v.cluster)
	return r.observeSettings(ctx, v)
}

// observeSettings reads what the MachineHealthCheck and its plan say about acting and pacing.
func (r *Reader) observeSettings(ctx context.Context, v *view) error {
	template, err := v.planOf(ctx, v.mhc)
	if err != nil {
		return err
	}
	s := &v.facts.Safety
	config, problems := mhcspec.ParseConfig(v.mhc, template)
	v.facts.Bounded, v.limited = config.Bounded(), config.MaxInFlight != nil
	switch reports := admission.OnlyReports(v.mhc.Name, config); {
	case reports.IsSet():
		s.Paused = reports
	case mhcspec.PlanMissing(v.mhc, template):
		s.Misconfigured = ladder.Cause{What: ladder.PlanMissing, Name: v.mhc.Name, Detail: v.mhc.Spec.Remediation.TemplateRef.Name}
	case len(problems) > 0:
		s.Misconfigured = ladder.Cause{What: ladder.ConfigInvalid, Name: v.mhc.Name, Detail: strings.Join(problems, "; ")}
	}
	if r.Gatekeeper == nil || template == nil || template.Spec.Template.Spec.Pacing == nil || ladder.HasSlot(v.facts.Record) || ladder.AtWork(v.facts.Record) != nil {
		return nil
	}
	s.Paced, err = r.Gatekeeper.Paced(ctx, v.mhc, v.cluster, v.machine)
	return err
}

// unmanaged says why Sickbay no longer manages a Machine.
func (r *Reader) unmanaged(v *view) ladder.Cause {
	switch {
	case mhcspec.RemediationSkipped(v.machine):
		return ladder.Cause{What: ladder.Annotated, Name: clusterv1.MachineSkipRemediationAnnotation}
	case v.mhc == nil:
		return ladder.Cause{What: ladder.NotSelected}
	case !r.Policy.Keeps(v.mhc) && v.mhc.Name != v.facts.Record.Spec.HealthCheckRef.Name:
		return ladder.Cause{What: ladder.OtherController, Name: v.mhc.Name}
	case !r.Policy.Keeps(v.mhc):
		return ladder.Cause{What: ladder.NotManaged, Name: v.mhc.Name}
	}
	return ladder.Cause{}
}

// judge reads the Node past the cache, judges the Machine anew, and checks gate and budget. A machine counts as sick only if its
// stored verdict and this judgement agree.
func (r *Reader) judge(ctx context.Context, v *view) error {
	if v.facts.Record.Spec.AskedFor() {
		return r.judgeAskedFor(ctx, v)
	}
	if v.mhc == nil || v.cluster == nil {
		return nil
	}
	observer := *r.Observer
	observer.Nodes = r.liveNodes(v)
	others, err := r.alsoJudging(ctx, v)
	if err != nil {
		return err
	}
	facts, err := observer.Facts(ctx, v.machine, v.mhc, v.cluster, true, others...)
	if err != nil {
		return err
	}
	if onmachine.HealthBy(metav1.ConditionStatus(verdict.Decide(facts, r.judgedAt(v)).Status)) != v.facts.Machine.Health {
		v.facts.Machine.Health, v.facts.Machine.Unconfirmed = ladder.Undecided, true
	}
	v.node = facts.Node.Node
	v.facts.Safety.OthersAtWork = workOfOthers(v.node, v.facts.RemediateAsked)
	if err := r.deletionFacts(ctx, v); err != nil {
		return err
	}
	if v.facts.Machine.Health != ladder.Sick || v.facts.Safety.Misconfigured.IsSet() {
		return nil
	}
	plan, err := v.planOf(ctx, v.mhc)
	if err != nil {
		return err
	}
	if v.facts.Safety.OverBudget, err = r.Gatekeeper.OverBudget(ctx, v.mhc, v.cluster, plan, v.openRecords); err != nil {
		return err
	}
	// The gate comes last: while its answer waits for other reads, the machines of a storm go on falling sick.
	v.facts.Safety.GateClosed, err = r.gateClosed(ctx, v, facts)
	return err
}

// gateClosed says which gate is closed for the Machine: because too many Nodes show the condition that it is sick by, or because too many are unhealthy.
func (r *Reader) gateClosed(ctx context.Context, v *view, health verdict.Facts) (string, error) {
	why, err := r.Gatekeeper.Suspected(ctx, v.mhc, v.cluster, health)
	if why != "" || err != nil {
		return why, err
	}
	return r.Gatekeeper.GateClosed(ctx, v.mhc, v.cluster, !ladder.HasBegun(v.facts.Record))
}

// alsoJudging returns by whose rules a machine is judged before an act, besides its own MachineHealthCheck's: what has begun goes on while any that
// may repair it finds the machine sick, but only one that finds it sick begins a repair.
func (r *Reader) alsoJudging(ctx context.Context, v *view) (others []*clusterv1.MachineHealthCheck, err error) {
	if len(v.checks) < 2 || !ladder.HasBegun(v.facts.Record) {
		return nil, nil
	}
	for _, mhc := range v.checks {
		if mhc == v.mhc {
			continue
		}
		why, err := r.PassedOver(ctx, mhc, v.cluster, openGate)
		if err != nil {
			return nil, err
		}
		if why == "" {
			others = append(others, mhc)
		}
	}
	return others, nil
}

// openGate is for what has begun: a closed gate does not stop it.
func openGate(context.Context, *clusterv1.MachineHealthCheck, *clusterv1.Cluster, bool) (string, error) {
	return "", nil
}

// deletionFacts adds why the owner of a machine that Sickbay is about to delete would not replace it.
func (r *Reader) deletionFacts(ctx context.Context, v *view) error {
	if step, _ := ladder.NextStep(v.facts.Record); !step.Deletes() {
		return nil
	}
	reader := owners.Reader{Live: r.Live}
	owner, err := reader.Of(ctx, v.machine, v.cluster)
	v.facts.Safety.OthersAtWork = cmp.Or(v.facts.Safety.OthersAtWork, ladder.Said(silence.Unreplaced(owner)))
	v.facts.Machine.Maker = makerOf(owner)
	return err
}

// makerOf returns the MachineDeployment that makes another machine in the place of one that is deleted; nil if the owner does.
func makerOf(owner silence.Facts) *v1alpha1.RemediationObjectReference {
	d := owner.OtherMaker()
	if d == nil {
		return nil
	}
	return &v1alpha1.RemediationObjectReference{APIVersion: clusterv1.GroupVersion.String(), Kind: "MachineDeployment", Name: d.Name, UID: d.UID}
}

// hostFacts adds who keeps the machine's host off, or works on it, by the host itself.
func (r *Reader) hostFacts(ctx context.Context, v *view) error {
	if r.Observer == nil || ladder.SingleSteps(v.facts.Record) {
		return nil
	}
	host, err := r.Observer.Hosts.Of(ctx, v.machine, v.how >= bound)
	if err != nil {
		return fmt.Errorf("reading the host of machine %s: %w", v.machine.Name, err)
	}
	if host != nil {
		if err := r.watchHosts(); err != nil {
			return err
		}
		v.facts.BootTime = v1alpha1.RebootSettings{}.NodeTimeout()
		attempt := ladder.AtWork(v.facts.Record)
		v.facts.Safety.KeptOff = cmp.Or(v.facts.Safety.KeptOff, ladder.Said(cycle.KeptBy(host, attempt != nil && attempt.Begun())))
	}
	return nil
}
