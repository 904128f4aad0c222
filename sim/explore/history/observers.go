package history

import (
	"github.com/sickbay-dev/sickbay/internal/fleet"
	"github.com/sickbay-dev/sickbay/internal/repair/machinehealthcheck"
	"github.com/sickbay-dev/sickbay/internal/repair/remediation"
	"github.com/sickbay-dev/sickbay/sim/explore/apimodel"
)

// Outside returns an observer like the commands: with its own caches and memory.
func (w *World) Outside() *fleet.Observer {
	outside := &Process{World: w, client: &apimodel.Client{Server: w.Server, View: w.Server.NewView(), Reads: w.mayRead}}
	return fleet.New(fleet.Sources{
		Client: outside.client, Live: outside.client.Live(), Nodes: nodes{p: outside}, Hosts: w.hosts(outside.client, outside.client.Live()), GracePeriod: grace, Records: true, Clock: w.clock,
	})
}

// Inside returns an observer with the manager's own controllers, including their caches and memory. It is nil if a planted bug
// replaced one of them.
func (w *World) Inside() *fleet.Observer {
	p := w.Leader
	checks, ok := p.Controllers[machinehealthcheck.ControllerName].(*machinehealthcheck.Reconciler)
	repairs, also := p.Controllers[remediation.ControllerName].(*remediation.Reconciler)
	if !ok || !also {
		return nil
	}
	return &fleet.Observer{
		Client: p.client, Live: p.client.Live(), Health: checks.Observer, Checks: &checks.Reader, Repairs: &repairs.Reader,
		Selectors: checks.Selectors, Policy: checks.Policy, Records: true, Clock: w.clock,
	}
}
