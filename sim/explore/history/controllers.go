package history

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/machinehealthcheck"
	"github.com/sickbay-dev/sickbay/internal/repair/remediation"
	"github.com/sickbay-dev/sickbay/internal/repair/slots"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// syncPeriod is so long that nothing can depend on it: whatever is due by itself must say so.
const syncPeriod = 240 * time.Hour

// grace is how long a healthy machine stays healthy while its Node cannot be read.
const grace = 5 * time.Minute

// addControllers creates the Reconcilers of a process, with an empty memory.
func (p *Process) addControllers() {
	parts := p.World.Plant.parts(p, Parts{Client: p.client, Live: p.client.Live(), Nodes: nodes{p}})
	clock, recorder, selectors := ownClock{p}, recorder{p}, &mhcspec.Selectors{}
	observer := &machinehealth.Observer{Nodes: parts.Nodes, GracePeriod: grace}
	counts := slots.Reader{Cache: parts.Client, Live: parts.Live, Observer: observer, Selectors: selectors, Clock: clock}
	var gate remediation.Gatekeeper = &slots.Gatekeeper{Reader: counts}
	if parts.Gate != nil {
		gate = parts.Gate(gate)
	}
	p.Controllers = map[string]reconcile.Reconciler{
		machinehealth.ControllerName: &machinehealth.Reconciler{
			Client: parts.Client, Observer: observer, Selectors: selectors, Recorder: recorder, Clock: clock, SyncPeriod: syncPeriod,
		},
		machinehealthcheck.ControllerName: &machinehealthcheck.Reconciler{
			Reader: machinehealthcheck.Reader{Reader: counts, Recorder: recorder, Parallel: 1}, Client: parts.Client, SyncPeriod: syncPeriod,
		},
		remediation.ControllerName: &remediation.Reconciler{
			Reader: remediation.Reader{Reader: counts, Gatekeeper: gate, Parallel: 1}, Client: parts.Client, Recorder: recorder, SyncPeriod: syncPeriod,
		},
	}
}

// Parts are the dependencies of a process's Reconcilers. A planted bug changes them.
type Parts struct {
	Client client.Client
	Live   client.Reader
	Nodes  workload.Nodes
	// Gate changes the gate; nil leaves it as it is.
	Gate func(remediation.Gatekeeper) remediation.Gatekeeper
}

// recorder adds events to the story of a run.
type recorder struct{ p *Process }

// Eventf implements events.EventRecorder.
func (r recorder) Eventf(_, _ runtime.Object, _, reason, _, note string, args ...any) {
	r.p.World.say("      event %s: "+note, append([]any{reason}, args...)...)
}
