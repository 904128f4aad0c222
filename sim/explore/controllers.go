package explore

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/machinehealthcheck"
	"github.com/sickbay-dev/sickbay/internal/remediation"
	"github.com/sickbay-dev/sickbay/internal/targets"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// syncPeriod is the net below the events. It is so wide that nothing falls into it: what is due by itself has to say so.
const syncPeriod = 240 * time.Hour

// grace is how long a machine that was healthy stays so while its Node cannot be read.
const grace = 5 * time.Minute

// addControllers makes the Reconcilers of a process, with nothing in their memory.
func (p *process) addControllers() {
	parts := p.w.plant.parts(p, parts{client: p.client, live: p.client.Live(), nodes: nodes{p}})
	clock, recorder, selectors := p.w.clock, recorder{p}, &targets.Selectors{}
	observer := &machinehealth.Observer{Nodes: parts.nodes, GracePeriod: grace}
	var gate remediation.Gate = &machinehealthcheck.Gatekeeper{Client: parts.client, Live: parts.live, Observer: observer, Selectors: selectors, Clock: clock}
	if parts.gate != nil {
		gate = parts.gate(gate)
	}
	p.controllers = map[string]reconcile.Reconciler{
		machinehealth.ControllerName: &machinehealth.Reconciler{
			Client: parts.client, Observer: observer, Selectors: selectors, Recorder: recorder, Clock: clock, SyncPeriod: syncPeriod,
		},
		machinehealthcheck.ControllerName: &machinehealthcheck.Reconciler{
			Client: parts.client, Live: parts.live, Observer: observer, Selectors: selectors, Recorder: recorder, Clock: clock,
			SyncPeriod: syncPeriod, Parallel: 1, Successors: remediation.Successors,
		},
		remediation.ControllerName: &remediation.Reconciler{
			Client: parts.client, Live: parts.live, Observer: observer, Selectors: selectors, Gate: gate, Recorder: recorder, Clock: clock,
			SyncPeriod: syncPeriod,
		},
	}
}

// parts are what the Reconcilers of a process work with. A planted bug changes them.
type parts struct {
	client client.Client
	live   client.Reader
	nodes  workload.Nodes
	// gate changes the gate; nil leaves it as it is.
	gate func(remediation.Gate) remediation.Gate
}

// recorder writes events into the story of a run.
type recorder struct{ p *process }

// Eventf implements events.EventRecorder.
func (r recorder) Eventf(_, _ runtime.Object, _, reason, _, note string, args ...any) {
	r.p.w.say("      event %s: "+note, append([]any{reason}, args...)...)
}
