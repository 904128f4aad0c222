package machinehealthcheck

import (
	"context"
	"fmt"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
)

// observeHosts adds the hosts of the machines that may get a new record. Only plans remember what was tried on a host. A machine
// whose host cannot be read is retried later, and does not delay others.
func (r *Reader) observeHosts(ctx context.Context, f *admission.Facts) {
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
			target.HostErr = fmt.Errorf("finding the host of machine %s: %w", target.Machine.Name, err)
			return
		}
		target.Host = host
	})
}

// hostsFailed reports the machines whose hosts cannot be read, and decides without them.
func (r *Reconciler) hostsFailed(ctx context.Context, f admission.Facts, d admission.Decision) (admission.Facts, admission.Decision) {
	failed := false
	for i := range f.Targets {
		if target := &f.Targets[i]; target.HostErr != nil {
			r.reportFailure(ctx, f, target.Machine, target.HostErr)
			failed = true
		}
	}
	if !failed {
		return f, d
	}
	r.observeFailures(&f)
	return f, admission.Decide(f, r.Clock.Now())
}
