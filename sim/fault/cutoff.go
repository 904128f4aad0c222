package fault

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/world"
)

// CutOff makes a workload cluster unreachable: its API server refuses connections and open ones break.
// The cluster itself goes on.
//
// A new request fails at once. Cluster API's cluster cache gives its connection up after 40 to 50 s,
// together with the Cluster's RemoteConnectionProbe condition; until then it serves what it last knew.
// Machines' NodeReady and NodeHealthy become Unknown after Options.RemoteConditionsGracePeriod. After Heal the
// cluster cache is back within about a second.
//
// In one thing the in-memory API server is worse than a real one: it does not tell a watch that comes back what was
// deleted meanwhile. A Node that is deleted before the cluster cache is back is missed as long as its connection lasts.
type CutOff struct {
	Cluster client.ObjectKey
}

// String implements Fault.
func (f CutOff) String() string { return fmt.Sprintf("cluster %s cut off", f.Cluster) }

// Inject implements Fault.
func (f CutOff) Inject(_ context.Context, w *world.World) error { return w.CutOff(f.Cluster) }

// Heal implements Fault.
func (f CutOff) Heal(_ context.Context, w *world.World) error { return w.Reconnect(f.Cluster) }
