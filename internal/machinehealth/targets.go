package machinehealth

import (
	"context"
	"fmt"
	"slices"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
)

type input = healthcheck.Input[*clusterv1.Machine]

// reader reads what the verdicts on Machines depend on.
type reader struct {
	objects   client.Reader
	observer  *Observer
	selectors *mhcspec.Selectors
	policy    mhcspec.Policy
	// watchNodes makes events of a cluster's Nodes wake the controller.
	watchNodes func(ctx context.Context, cluster client.ObjectKey) error
}

// applies reports whether a Machine gets a verdict from us. During a pause nothing may be
// touched, so what we wrote stays, too.
func (r reader) applies(ctx context.Context, in input) (healthcheck.Applicability, error) {
	machine := in.Object
	if mhcspec.MachinePaused(machine) && !r.policy.Drain {
		return healthcheck.LeaveAlone, nil
	}
	checks, err := r.selecting(ctx, machine)
	switch {
	case err != nil:
		return 0, err
	case r.handsBack(checks):
		// After a pause, nobody would withdraw it.
		return withdrawn(machine), nil
	case len(checks) == 0:
		return r.orphaned(ctx, machine)
	}
	cluster, err := r.cluster(ctx, machine)
	if err != nil {
		return 0, err
	}
	ours, _ := r.policy.Share(checks)
	switch {
	case !slices.ContainsFunc(ours, r.policy.Manages), mhcspec.ClusterPaused(cluster):
		return healthcheck.LeaveAlone, nil
	case mhcspec.RemediationSkipped(machine):
		// A person wants that now, also while the MachineHealthCheck is paused.
		return withdrawn(machine), nil
	case !slices.ContainsFunc(ours, func(mhc *clusterv1.MachineHealthCheck) bool { return len(mhcspec.Paused(mhc, cluster)) == 0 }):
		return healthcheck.LeaveAlone, nil
	}
	return healthcheck.Applies, nil
}

// handsBack reports whether Sickbay drains, and hands back what it wrote for the MachineHealthChecks that select the Machine, if any.
func (r reader) handsBack(checks []*clusterv1.MachineHealthCheck) bool {
	return r.policy.Drain && (len(checks) == 0 || r.policy.Drains(checks[0]))
}

// orphaned answers for a Machine that no MachineHealthCheck selects. Its Cluster may be
// gone.
func (r reader) orphaned(ctx context.Context, machine *clusterv1.Machine) (healthcheck.Applicability, error) {
	if withdrawn(machine) == healthcheck.LeaveAlone {
		return healthcheck.LeaveAlone, nil
	}
	cluster, err := r.cluster(ctx, machine)
	if client.IgnoreNotFound(err) != nil {
		return 0, err
	}
	if err == nil && mhcspec.ClusterPaused(cluster) {
		return healthcheck.LeaveAlone, nil
	}
	return healthcheck.DoesNotApply, nil
}

// withdrawn says to remove a verdict if it is ours.
func withdrawn(machine *clusterv1.Machine) healthcheck.Applicability {
	if ownwrites.Wrote(machine, verdict.ConditionType, FieldOwner) {
		return healthcheck.DoesNotApply
	}
	return healthcheck.LeaveAlone
}

// selecting returns the MachineHealthChecks that select machine, the oldest first.
func (r reader) selecting(ctx context.Context, machine *clusterv1.Machine) ([]*clusterv1.MachineHealthCheck, error) {
	mhcs, err := mhcspec.MachineHealthChecksFor(ctx, r.objects, machine)
	return r.selectors.Selecting(machine, mhcs), err
}

// cluster returns the Cluster of a machine. It is not copied, because its topology can be large: the caller must not
// change it.
func (r reader) cluster(ctx context.Context, machine *clusterv1.Machine) (*clusterv1.Cluster, error) {
	cluster := &clusterv1.Cluster{}
	if err := r.objects.Get(ctx, mhcspec.ClusterOf(machine), cluster, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("getting the Cluster of machine %s: %w", client.ObjectKeyFromObject(machine), err)
	}
	return cluster, nil
}
