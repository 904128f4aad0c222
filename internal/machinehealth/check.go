package machinehealth

import (
	"context"
	"errors"
	"fmt"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/spread"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// unreadableRetry is how long to wait before reading a Node again that could not be read. A
// restored connection causes an event; a cluster that hangs does not. The wait is up to
// half as long again, so that the Machines of a cluster do not all come at once.
const unreadableRetry = 15 * time.Second

type input = healthcheck.Input[*clusterv1.Machine]

// applies reports whether a Machine gets a verdict from us. During a pause nothing may be
// touched, so what we wrote stays, too.
func (r *Reconciler) applies(ctx context.Context, in input) (healthcheck.Applicability, error) {
	machine := in.Object
	if mhcspec.MachinePaused(machine) {
		return healthcheck.LeaveAlone, nil
	}
	mhc, err := r.owner(ctx, machine)
	if err != nil {
		return 0, err
	}
	if mhc == nil {
		return r.orphaned(ctx, machine)
	}
	cluster, err := r.cluster(ctx, machine)
	if err != nil {
		return 0, err
	}
	switch {
	case !r.Policy.Manages(mhc), mhcspec.ClusterPaused(cluster):
		return healthcheck.LeaveAlone, nil
	case mhcspec.RemediationSkipped(machine):
		// A person wants that now, also while the MachineHealthCheck is paused.
		return withdrawn(machine), nil
	case len(mhcspec.Paused(mhc, cluster)) > 0:
		return healthcheck.LeaveAlone, nil
	}
	return healthcheck.Applies, nil
}

// orphaned answers for a Machine that no MachineHealthCheck selects. Its Cluster may be
// gone.
func (r *Reconciler) orphaned(ctx context.Context, machine *clusterv1.Machine) (healthcheck.Applicability, error) {
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

// check gives the verdict: it observes, then decides.
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
		// A cluster that is not connected cannot be watched. The verdict says so, and an
		// event brings us back here when it is connected again.
		_ = r.watchNodes(ctx, mhcspec.ClusterOf(machine))
	}
	facts, err := r.Observer.Facts(ctx, machine, mhc, cluster, false)
	if errors.Is(err, workload.ErrBusy) {
		err = &healthcheck.LaterError{After: workload.Soon()}
	}
	if err != nil {
		return healthcheck.Result{}, err
	}
	result := verdict.Decide(facts, in.Now)
	if wait := facts.Premature(result, in.Now); wait > 0 {
		return healthcheck.Result{}, &healthcheck.LaterError{After: wait}
	}
	if facts.Node.State == verdict.NodeUnreadable && !facts.Node.Announced {
		result.RecheckAt = healthcheck.Earliest(result.RecheckAt, in.Now.Add(unreadableRetry+spread.UpTo(unreadableRetry/2, machine.UID)))
	}
	return result, nil
}
