package remediation

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/slots"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// healthChecksOf reads the MachineHealthChecks that a Machine belongs to now, and takes the one whose settings hold for the record. Past the cache, it
// first reads the one that the cache shows. It lists them all only if that one is out of date: before a machine is handed back, no other one may
// claim it.
func (r *Reader) healthChecksOf(ctx context.Context, v *view) error {
	machine := v.machine
	if r.OpenShift {
		return nil
	}
	all, err := mhcspec.MachineHealthChecksFor(ctx, r.Cache, machine)
	if err != nil {
		return err
	}
	r.take(v, all)
	if v.how == cached {
		return nil
	}
	if fresh, err := r.refresh(ctx, v); fresh || err != nil {
		return err
	}
	all, err = r.liveHealthChecks(ctx, machine)
	r.take(v, all)
	return err
}

// refresh reads the MachineHealthCheck of a view past the cache. It reports whether that still is the one.
func (r *Reader) refresh(ctx context.Context, v *view) (fresh bool, err error) {
	if v.mhc == nil {
		return false, nil
	}
	latest, err := v.healthCheck(ctx, client.ObjectKeyFromObject(v.mhc))
	if latest == nil || latest.UID != v.mhc.UID || !r.Selectors.Matches(latest, v.machine) {
		return false, err
	}
	if len(v.checks) == 0 && r.Policy.Keeps(latest) {
		// It had the Machine to itself, and was handed over: the record has another one.
		return false, nil
	}
	if i := slices.Index(v.checks, v.mhc); i >= 0 {
		v.checks[i] = latest
	}
	v.mhc = latest
	return true, nil
}

// take notes which of all MachineHealthChecks judge the Machine, and whose settings hold for the record. One of another controller has the Machine to
// itself.
func (r *Reader) take(v *view, all []*clusterv1.MachineHealthCheck) {
	checks, stranger := r.Policy.Share(r.Selectors.Selecting(v.machine, all))
	if v.checks, v.mhc = checks, stranger; stranger == nil {
		v.mhc = admission.Governing(v.facts.Record, checks)
	}
}

// liveHealthChecks lists past the cache.
func (r *Reader) liveHealthChecks(ctx context.Context, machine *clusterv1.Machine) ([]*clusterv1.MachineHealthCheck, error) {
	var list clusterv1.MachineHealthCheckList
	if err := r.Live.List(ctx, &list, client.InNamespace(machine.Namespace)); err != nil {
		return nil, fmt.Errorf("listing MachineHealthChecks of %s: %w", mhcspec.ClusterOf(machine), err)
	}
	all := make([]*clusterv1.MachineHealthCheck, len(list.Items))
	for i := range list.Items {
		all[i] = &list.Items[i]
	}
	return all, nil
}

// sharedFacts reads what matters only for a Machine that several MachineHealthChecks select: whether it is sick by the rules of the record's own, and
// which one leads.
func (r *Reader) sharedFacts(ctx context.Context, v *view) error {
	m := &v.facts.Machine
	if len(v.checks) < 2 || v.cluster == nil || r.Observer == nil || m.Health == ladder.Healthy {
		return nil
	}
	facts, err := r.Observer.CachedFacts(ctx, v.machine, v.mhc, v.cluster)
	if err != nil {
		return err
	}
	own := verdict.Decide(facts, r.Clock.Now())
	v.own = &own
	m.OtherFinding = v.otherFinding()
	if nobodyJudges(v) {
		return nil
	}
	if err := r.unwanted(ctx, v, facts, own); err != nil || ladder.HasBegun(v.facts.Record) {
		return err
	}
	v.facts.Safety.HandedOver, err = r.handedOver(ctx, v, facts, own.Status == healthcheck.True)
	return err
}

// otherFinding reports whether the machine is sick for another reason than that for which it was admitted. The verdict on one that several
// MachineHealthChecks select does not say what the record's own finds.
func (v *view) otherFinding() bool {
	m := &v.facts.Machine
	if len(v.checks) < 2 {
		return m.OtherFinding
	}
	return m.Health == ladder.Sick && v.own != nil && v.own.Status == healthcheck.False && v.own.Reason != v.facts.Record.Spec.Finding.Reason
}

// found returns what the record's own MachineHealthCheck finds; nil without a verdict.
func (v *view) found() *metav1.Condition {
	stored := meta.FindStatusCondition(v.machine.Status.Conditions, verdict.ConditionType)
	if v.own == nil {
		return stored
	}
	return admission.PartOf(stored, *v.own)
}

// nobodyJudges reports whether a pause keeps everybody from judging the Machine: its verdict stays, however its Node is, and nobody takes it over.
func nobodyJudges(v *view) bool {
	judges := func(mhc *clusterv1.MachineHealthCheck) bool { return len(mhcspec.Paused(mhc, v.cluster)) == 0 }
	return mhcspec.MachinePaused(v.machine) || !slices.ContainsFunc(v.checks, judges)
}

// unwanted pauses a record while only MachineHealthChecks that may not repair the machine find it sick: its owner would act on a mark all the same. What
// has begun goes on.
func (r *Reader) unwanted(ctx context.Context, v *view, facts verdict.Facts, own healthcheck.Result) error {
	now, undecided := r.Clock.Now(), own.Status != healthcheck.True && own.Status != healthcheck.Progressing
	found := slices.ContainsFunc(v.checks, func(mhc *clusterv1.MachineHealthCheck) bool {
		return verdict.Decide(facts.By(mhcspec.RulesOf(mhc)), now).Status == healthcheck.False
	})
	if undecided || !found || v.facts.Machine.Health != ladder.Sick || ladder.Begun(v.facts, now) {
		return nil
	}
	leader, until, err := r.Leader(ctx, facts, v.checks, openGate)
	if v.leadsUntil = until; leader == nil && err == nil {
		v.facts.Safety.Paused = ladder.Cause{What: ladder.NoneLeads, Name: v.mhc.Name}
	}
	return err
}

// handedOver says why a record of which nothing has begun ends: another MachineHealthCheck leads, or none does, and its own finds the machine healthy.
func (r *Reader) handedOver(ctx context.Context, v *view, facts verdict.Facts, healthy bool) (ladder.Cause, error) {
	leader, err := r.leaderOf(ctx, v, facts)
	switch {
	case err != nil:
		return ladder.Cause{}, err
	case leader != nil && leader.UID != v.mhc.UID:
		return ladder.Cause{What: ladder.OtherLeads, Name: leader.Name}, nil
	case leader == nil && healthy:
		return ladder.Cause{What: ladder.NoneLeads, Name: v.mhc.Name}, nil
	}
	return ladder.Cause{}, nil
}

// leaderOf returns the MachineHealthCheck that leads, and notes until when; nil if none does.
func (r *Reader) leaderOf(ctx context.Context, v *view, facts verdict.Facts) (leader *clusterv1.MachineHealthCheck, err error) {
	if v.facts.Machine.Health != ladder.Sick {
		return nil, nil
	}
	var gate slots.GateFunc
	if r.Gatekeeper != nil {
		gate = r.Gatekeeper.GateClosed
	}
	leader, v.leadsUntil, err = r.Leader(ctx, facts, v.checks, gate)
	return leader, err
}

// healthCheckThatAdmitted returns the MachineHealthCheck of a record; nil if it is gone.
func healthCheckThatAdmitted(ctx context.Context, reader client.Reader, record *v1alpha1.MachineRemediation) (*clusterv1.MachineHealthCheck, error) {
	ref := record.Spec.HealthCheckRef
	mhc, err := scaffold.Find(ctx, reader, client.ObjectKey{Namespace: record.Namespace, Name: ref.Name}, &clusterv1.MachineHealthCheck{})
	if mhc == nil || mhc.Spec.ClusterName != record.Spec.ClusterName || !mhc.DeletionTimestamp.IsZero() {
		return nil, err
	}
	// By name: one that was deleted and made anew continues the records of its predecessor.
	return mhc, nil
}

// healthCheckOfGone returns the MachineHealthCheck that looks after the record of a machine that is gone: the one that admitted it, or else that of
// another machine of its owner; nil if there is none.
func (r *Reader) healthCheckOfGone(ctx context.Context, v *view) (*clusterv1.MachineHealthCheck, error) {
	admitted, err := healthCheckThatAdmitted(ctx, v.reader, v.facts.Record)
	if admitted != nil || err != nil {
		return admitted, err
	}
	attempt := ladder.AtWork(v.facts.Record)
	if attempt == nil || attempt.ObjectRef == nil {
		return nil, nil
	}
	machines, err := mhcspec.MachinesOf(ctx, r.Cache, clusterKey(v.facts.Record))
	if err != nil {
		return nil, err
	}
	for _, machine := range machines {
		if !recordstore.MakerOf(attempt.ObjectRef).Made(machine) {
			continue
		}
		all, err := mhcspec.MachineHealthChecksFor(ctx, r.Cache, machine)
		if v.how > cached {
			all, err = r.liveHealthChecks(ctx, machine)
		}
		if selecting := r.Selectors.Selecting(machine, all); len(selecting) > 0 {
			return selecting[0], err
		}
		return nil, err
	}
	return nil, nil
}

// healthCheck returns a MachineHealthCheck; nil if there is none of that name.
func (v *view) healthCheck(ctx context.Context, key client.ObjectKey) (*clusterv1.MachineHealthCheck, error) {
	if v.common != nil && v.common.of.healthCheck == key {
		return v.common.mhc, nil
	}
	return scaffold.Find(ctx, v.reader, key, &clusterv1.MachineHealthCheck{})
}

// planOf returns the plan that a MachineHealthCheck names; nil if it names none, or one that does not exist.
func (v *view) planOf(ctx context.Context, mhc *clusterv1.MachineHealthCheck) (*v1alpha1.MachineRemediationTemplate, error) {
	if v.common != nil && mhcspec.NamesPlan(mhc) && v.common.of.plan == mhcspec.PlanKey(mhc) {
		return v.common.plan, nil
	}
	return mhcspec.PlanOf(ctx, v.reader, mhc)
}

// foreign reports whether a record belongs to a manager with another --watch-filter: it has that one's label, or none, and its MachineHealthCheck has
// that label now. If the MachineHealthCheck is gone, all managers clean up; if it is ours now, we go on.
//
// A record with our label is ours even if its MachineHealthCheck has another one now: we hand back what we have begun.
func (r *Reader) foreign(ctx context.Context, record *v1alpha1.MachineRemediation) (bool, error) {
	ours, made := r.Policy.WatchFilter, record.Labels[clusterv1.WatchLabel]
	if ours == "" || made == ours || record.Spec.AskedFor() {
		return ours != "" && made != ours, nil
	}
	key := client.ObjectKey{Namespace: record.Namespace, Name: record.Spec.HealthCheckRef.Name}
	mhc, err := scaffold.Find(ctx, r.Cache, key, &clusterv1.MachineHealthCheck{})
	if mhc == nil && err == nil {
		// The cache may not show it yet.
		mhc, err = scaffold.Find(ctx, r.Live, key, &clusterv1.MachineHealthCheck{})
	}
	if mhc == nil {
		return false, err
	}
	now := mhc.Labels[clusterv1.WatchLabel]
	return now != ours && (now != "" || made != ""), nil
}
