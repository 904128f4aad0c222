package machinehealth

import (
	"context"
	"errors"
	"fmt"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/jitter"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// unreadableRetry is how long to wait before reading a Node again that could not be read. A
// restored connection causes an event; a cluster that hangs does not. The wait is up to
// half as long again, so that the Machines of a cluster do not all come at once.
const unreadableRetry = 15 * time.Second

// check gives the verdict: it observes, then decides.
func (r reader) check(ctx context.Context, in input) (healthcheck.Result, error) {
	facts, err := r.facts(ctx, in.Object)
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
		result.RecheckAt = healthcheck.Earliest(result.RecheckAt, in.Now.Add(unreadableRetry+jitter.UpTo(unreadableRetry/2, in.Object.UID)))
	}
	return result, nil
}

// facts reads what the verdict on a Machine depends on.
func (r reader) facts(ctx context.Context, machine *clusterv1.Machine) (verdict.Facts, error) {
	checks, err := r.selecting(ctx, machine)
	if err != nil {
		return verdict.Facts{}, err
	}
	ours, _ := r.policy.Share(checks)
	if len(ours) == 0 {
		return verdict.Facts{}, fmt.Errorf("no MachineHealthCheck selects machine %s any more", client.ObjectKeyFromObject(machine))
	}
	cluster, err := r.cluster(ctx, machine)
	if err != nil {
		return verdict.Facts{}, err
	}
	if machine.Status.NodeRef.IsDefined() {
		// A cluster that is not connected cannot be watched. The verdict says so, and an
		// event brings us back here when it is connected again.
		_ = r.watchNodes(ctx, mhcspec.ClusterOf(machine))
	}
	return r.observer.Facts(ctx, machine, ours[0], cluster, false, ours[1:]...)
}
