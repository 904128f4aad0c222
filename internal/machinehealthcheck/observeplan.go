package machinehealthcheck

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealthcheck/admission"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
	"github.com/sickbay-dev/sickbay/internal/remediation/rules"
)

// observePlan reads the MachineRemediationTemplate that the MachineHealthCheck names, and compiles its rules.
func (r *Reconciler) observePlan(ctx context.Context, f *admission.Facts) error {
	if f.KindsMissing {
		return nil
	}
	key := mhcspec.PlanKey(f.MachineHealthCheck)
	plan, err := mhcspec.Plan(ctx, r.Client, key)
	if err != nil {
		return err
	}
	if plan == nil {
		f.Template.Missing = "MachineRemediationTemplate " + key.Name + " does not exist"
		return nil
	}
	f.Template.Plan = plan
	if _, err := r.rules.Get(plan); err != nil {
		f.Template.Problem = "MachineRemediationTemplate " + key.Name + ": " + err.Error()
	}
	return nil
}

// samePlan reports whether the plan is still the one that was decided on.
func (r *Reconciler) samePlan(ctx context.Context, f admission.Facts) (bool, error) {
	if f.Template.Plan == nil {
		return true, nil
	}
	plan, err := mhcspec.Plan(ctx, r.Live, mhcspec.PlanKey(f.MachineHealthCheck))
	if plan == nil {
		return false, err
	}
	return plan.UID == f.Template.Plan.UID && plan.Generation == f.Template.Plan.Generation, nil
}

// starting evaluates the plan's rules for the step with which each admitted machine begins.
func (r *Reconciler) starting(ctx context.Context, f admission.Facts, d admission.Decision, due []admission.Admission) []admission.Admission {
	plan := f.Template.Plan
	if plan == nil || len(plan.Spec.Template.Spec.Rules) == 0 {
		return due
	}
	compiled, err := r.rules.Get(plan)
	all := make([]admission.Admission, len(due))
	for i, one := range due {
		if err != nil {
			all[i] = d.StartBy(one, nil, true)
			continue
		}
		step, rule, err := compiled.StartAt(rules.InputOf(one.Machine, r.node(ctx, f, one.Machine), mhcspec.RulesOf(f.MachineHealthCheck), nil))
		all[i] = d.StartBy(one, startOf(step, rule), err != nil)
	}
	return all
}

func startOf(step, rule string) *v1alpha1.RemediationStart {
	if step == "" {
		return nil
	}
	return &v1alpha1.RemediationStart{Step: step, Reason: "Rule " + rule + " applies"}
}

// node returns the Node of a machine from the cache; nil if it has none.
func (r *Reconciler) node(ctx context.Context, f admission.Facts, machine *clusterv1.Machine) *corev1.Node {
	if !machine.Status.NodeRef.IsDefined() {
		return nil
	}
	node, err := r.Observer.Nodes.Get(ctx, client.ObjectKeyFromObject(f.Cluster), machine.Status.NodeRef.Name)
	if err != nil {
		return nil
	}
	return node
}

// observeHosts adds the hosts of the machines that may get a new record. Only plans remember what was tried on a host. A machine
// whose host cannot be read is retried later, and does not delay others.
func (r *Reconciler) observeHosts(ctx context.Context, f *admission.Facts) {
	if r.Host == nil || len(mhcspec.Paused(f.MachineHealthCheck, f.Cluster)) > 0 {
		return
	}
	now := r.Clock.Now()
	f.EachNew(func(target *admission.Target) {
		if now.Before(f.Failures[target.Machine.UID].RetryAt) {
			return
		}
		host, err := r.Host(ctx, target.Machine)
		if err != nil && f.Template.Plan == nil {
			// Built-in plans remember nothing, so the host is only for history.
			return
		}
		if err != nil {
			r.reportFailure(ctx, *f, target.Machine, fmt.Errorf("finding the host of machine %s: %w", target.Machine.Name, err))
			return
		}
		target.Host = host
	})
	r.observeFailures(f)
}

// observeAwaited records which machines open records wait for as replacements, and judge. While a deletion hangs, the replacement
// is unknown: a new machine may be unrelated.
func (r *Reconciler) observeAwaited(ctx context.Context, f *admission.Facts, records []*v1alpha1.MachineRemediation) error {
	if r.Successors == nil || !slices.ContainsFunc(records, awaits) {
		return nil
	}
	machines, err := mhcspec.MachinesOf(ctx, r.Client, client.ObjectKeyFromObject(f.Cluster))
	if err != nil {
		return err
	}
	there := map[types.UID]bool{}
	for i := range machines {
		there[machines[i].UID] = true
	}
	successors := r.Successors(machines, records)
	for i := range records {
		if awaited := successors[records[i].UID]; awaited != nil && awaits(records[i]) && !there[records[i].Spec.MachineRef.UID] {
			f.Await(awaited.UID, records[i].Name)
		}
	}
	return nil
}

// awaits reports whether a record judges a machine as its replacement: it follows a plan and is at work.
func awaits(r *v1alpha1.MachineRemediation) bool {
	return !ladder.Ended(r) && r.Spec.TemplateRef != nil && ladder.AtWork(r) != nil
}
