package machinehealth

import (
	"context"
	"fmt"

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
	mhc, err := r.owner(ctx, machine)
	switch {
	case err != nil:
		return 0, err
	case r.handsBack(mhc):
		// After a pause, nobody would withdraw it.
		return withdrawn(machine), nil
	case mhc == nil:
		return r.orphaned(ctx, machine)
	}
	cluster, err := r.cluster(ctx, machine)
	if err != nil {
		return 0, err
	}
	switch {
	case !r.policy.Manages(mhc), mhcspec.ClusterPaused(cluster):
		return healthcheck.LeaveAlone, nil
	case mhcspec.RemediationSkipped(machine):
		// A person wants that now, also while the MachineHealthCheck is paused.
		return withdrawn(machine), nil
	case len(mhcspec.Paused(mhc, cluster)) > 0:
		return healthcheck.LeaveAlone, nil
	}
	return healthcheck.Applies, nil
}

// handsBack reports whether Sickbay drains, and hands back what it wrote for mhc; nil means that none selects the Machine.
func (r reader) handsBack(mhc *clusterv1.MachineHealthCheck) bool {
	return r.policy.Drain && (mhc == nil || r.policy.Drains(mhc))
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

// owner returns the MachineHealthCheck that machine belongs to, or nil.
func (r reader) owner(ctx context.Context, machine *clusterv1.Machine) (*clusterv1.MachineHealthCheck, error) {
	mhcs, err := mhcspec.MachineHealthChecksFor(ctx, r.objects, machine)
	if err != nil {
		return nil, err
	}
	return r.selectors.Owner(machine, mhcs), nil
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
