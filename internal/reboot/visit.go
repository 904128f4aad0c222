package reboot

import (
	"errors"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/workload"
)

// errBusy says that as many workers are busy with a workload cluster as may be.
var errBusy = errors.New("others are busy with the workload cluster")

// busyRetry is how soon such a cluster is tried again.
const busyRetry = time.Second

// visit is the place that one Reconcile has in a workload cluster. It keeps it to its end, so that a cycle which has begun with its
// Node in a slow cluster goes through with it, and its deadlines do not pass while it queues.
type visit struct {
	places *workload.Places
	leave  func()
}

// begin takes a place, unless there is one already.
func (v *visit) begin(cluster client.ObjectKey) error {
	if v.leave != nil {
		return nil
	}
	leave, ok := v.places.TryEnter(cluster)
	if !ok {
		return errBusy
	}
	v.leave = leave
	return nil
}

func (v *visit) end() {
	if v.leave != nil {
		v.leave()
	}
}
