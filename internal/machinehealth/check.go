package machinehealth

import (
	"context"
	"fmt"
	"slices"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/status"
	"github.com/sickbay-dev/sickbay/internal/targets"
)

// unreadableRetry is how soon a Node that could not be read is tried again. A
// connection that comes back says so by an event; a cluster that hangs does not.
const unreadableRetry = 15 * time.Second

type input = healthcheck.Input[*clusterv1.Machine]

// applies tells whether a Machine gets a verdict from us at all.
func (r *Reconciler) applies(ctx context.Context, in input) (healthcheck.Applicability, error) {
	machine := in.Object
	if targets.MachinePaused(machine) {
		return healthcheck.LeaveAlone, nil
	}
	mhc, err := r.owner(ctx, machine)
	if err != nil {
		return 0, err
	}
	if mhc == nil || targets.RemediationSkipped(machine) {
		if status.Wrote(machine, ConditionType, FieldOwner) {
			return healthcheck.DoesNotApply, nil
		}
		return healthcheck.LeaveAlone, nil
	}
	if !r.Policy.Manages(mhc) {
		return healthcheck.LeaveAlone, nil
	}
	cluster, err := r.cluster(ctx, machine)
	if err != nil {
		return 0, err
	}
	if len(targets.Paused(mhc, cluster)) > 0 {
		return healthcheck.LeaveAlone, nil
	}
	return healthcheck.Applies, nil
}

// check gives the verdict: observe, then decide.
func (r *Reconciler) check(ctx context.Context, in input) (healthcheck.Result, error) {
	machine := in.Object
	mhc, err := r.owner(ctx, machine)
	if err != nil {
		return healthcheck.Result{}, err
	}
	if mhc == nil {
		return healthcheck.Result{}, fmt.Errorf("no MachineHealthCheck selects machine %s any more", client.ObjectKeyFromObject(machine))
	}
	cluster, err := r.cluster(ctx, machine)
	if err != nil {
		return healthcheck.Result{}, err
	}
	if machine.Status.NodeRef.IsDefined() {
		// A cluster that is not connected cannot be watched; the verdict says so,
		// and its return wakes us up to come here again.
		_ = r.watchNodes(ctx, targets.ClusterOf(machine))
	}
	facts, err := r.Observer.Facts(ctx, machine, mhc, cluster, false)
	if err != nil {
		return healthcheck.Result{}, err
	}
	result := Decide(facts, in.Now)
	if facts.Node.State == NodeUnreadable {
		result.RecheckAt = healthcheck.Earliest(result.RecheckAt, in.Now.Add(unreadableRetry))
	}
	return result, nil
}

// owner returns the MachineHealthCheck that machine belongs to, or nil.
func (r *Reconciler) owner(ctx context.Context, machine *clusterv1.Machine) (*clusterv1.MachineHealthCheck, error) {
	mhcs, err := targets.MachineHealthChecksOf(ctx, r.Client, targets.ClusterOf(machine))
	if err != nil {
		return nil, err
	}
	return r.Selectors.Owner(machine, mhcs), nil
}

func (r *Reconciler) cluster(ctx context.Context, machine *clusterv1.Machine) (*clusterv1.Cluster, error) {
	cluster := &clusterv1.Cluster{}
	if err := r.Client.Get(ctx, targets.ClusterOf(machine), cluster); err != nil {
		return nil, fmt.Errorf("getting the Cluster of machine %s: %w", client.ObjectKeyFromObject(machine), err)
	}
	return cluster, nil
}

// store keeps the verdict on Machines. With the verdict it takes away the mark
// for the owner that Sickbay set on account of it: a mark that is left behind
// would make the owner act at the next bad verdict, whatever the budget says.
type store struct {
	healthcheck.Metav1Store[*clusterv1.Machine]
}

func (s store) Remove(ctx context.Context, machine *clusterv1.Machine, types []string) error {
	if status.Wrote(machine, clusterv1.MachineOwnerRemediatedCondition, status.OwnerRemediatedFieldOwner) && machine.DeletionTimestamp.IsZero() {
		types = append(slices.Clone(types), clusterv1.MachineOwnerRemediatedCondition)
	}
	return s.Metav1Store.Remove(ctx, machine, types)
}
