package machinehealthcheck

import (
	"context"
	"errors"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
)

// observeHosts adds the bare-metal hosts of the machines that may get a new record: a plan remembers what was tried on a host, even if another machine
// runs on it now.
func (r *Reader) observeHosts(ctx context.Context, f *admission.Facts) (err error) {
	if len(mhcspec.Paused(f.MachineHealthCheck, f.Cluster)) > 0 {
		return nil
	}
	f.EachNew(func(target *admission.Target) {
		host, failed := r.Observer.Hosts.Of(ctx, target.Machine, false)
		if err = errors.Join(err, failed); host != nil {
			target.Host = &v1alpha1.RemediationReference{Name: host.Name, UID: host.UID}
		}
	})
	return err
}
