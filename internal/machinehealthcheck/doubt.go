package machinehealthcheck

import (
	"context"
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
)

// doubtRetry is how soon a decision is made anew that was made in doubt. A Machine
// that is really unhealthy gets its verdict long before, and with it an event.
const doubtRetry = 15 * time.Second

// doubt looks once more, in the caches, at the Machines that are healthy by their
// stored verdict, and marks those that are not so now. Verdicts fall one by one, but
// Nodes may vanish all at once: whoever acted on the first verdict would remediate
// as many Machines as the limit allows before the limit says no. It stops as soon as
// the limit is exceeded, which is all that has to be known.
func (r *Reconciler) doubt(ctx context.Context, f Facts, d Decision) error {
	unhealthy := d.Counts.Unhealthy()
	for i := range f.Targets {
		target := &f.Targets[i]
		if !target.healthy() {
			continue
		}
		facts, err := r.Observer.Facts(ctx, target.Machine, f.MachineHealthCheck, f.Cluster, false)
		if err != nil {
			return err
		}
		if machinehealth.Decide(facts, r.Clock.Now()).Status == healthcheck.True {
			continue
		}
		target.Doubtful = true
		if unhealthy++; unhealthy > d.trigger.maximum {
			return nil
		}
	}
	return nil
}

// restsOnCount tells whether somebody is to be remediated on the strength of how few
// Machines are unhealthy.
func (d *Decision) restsOnCount() bool { return len(d.Remedies) > 0 && d.trigger.limit != "" }
