package reboot

import (
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/workload"
)

// busyRetry is how long to wait before trying again a workload cluster in which no place was free.
const busyRetry = time.Second

// clusterPlace is the place of one Reconcile in a workload cluster. Reconcile keeps it to the end, so that a cycle that has begun with its Node
// in a slow cluster can finish, and its deadlines do not pass while it queues.
type clusterPlace struct {
	places *workload.Places
	leave  func()
}

// take takes a place, unless Reconcile already has one.
func (p *clusterPlace) take(cluster client.ObjectKey) error {
	if p.leave != nil {
		return nil
	}
	leave, err := p.places.Enter(cluster)
	if err != nil {
		return err
	}
	p.leave = leave
	return nil
}

// giveUp frees the place, if there is one.
func (p *clusterPlace) giveUp() {
	if p.leave != nil {
		p.leave()
	}
}
