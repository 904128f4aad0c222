package fault

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/world"
)

// CutOff makes a workload cluster unreachable: its API server refuses connections, and open ones break. The cluster
// itself keeps running.
//
// New requests fail at once. Cluster API's cluster cache gives up its connection after 40 to 50 s, and sets the
// Cluster's RemoteConnectionProbe condition then; until then, it serves what it last knew. Machines' NodeReady and
// NodeHealthy become Unknown after Options.RemoteConditionsGracePeriod. After Heal, the cluster cache is back within
// about a second.
//
// In one respect, the in-memory API server is worse than a real one: a watch that resumes does not learn what was
// deleted meanwhile. If a Node is deleted before the cluster cache is back, its deletion goes unnoticed for the life of
// that connection.
type CutOff struct {
	Cluster client.ObjectKey
}

// String implements Fault.
func (f CutOff) String() string { return fmt.Sprintf("cluster %s cut off", f.Cluster) }

// Inject implements Fault.
func (f CutOff) Inject(_ context.Context, w *world.World) error { return w.CutOff(f.Cluster) }

// Heal implements Fault.
func (f CutOff) Heal(_ context.Context, w *world.World) error { return w.Reconnect(f.Cluster) }
