package upgradepause

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// sources are what the signals read.
type sources struct {
	// cached is the manager's cache, tracked has the kinds that the tracker watches, and live reads past both.
	cached, tracked, live client.Reader
	mapper                meta.RESTMapper
	tracker               *tracker
	// open watches a kind.
	open opener
}

// readFrom sets the signals, and what reports the machines that are not back.
func (r *Reconciler) readFrom(s sources) {
	r.Signals = []Signal{clusterVersion{reader: s.tracked, tracker: s.tracker, installed: r.ClusterVersion}}
	if r.Kind == OpenShiftKind {
		// MachineConfigPools concern only OpenShift's MachineHealthChecks.
		r.Signals = append(r.Signals, machineConfigPools{reader: s.tracked, tracker: s.tracker, installed: r.MachineConfigPools})
		r.Readiness = openshiftMachines{live: s.live, reader: s.tracked, open: s.open}
		return
	}
	r.Signals = append(r.Signals, clusterAPI{reader: s.cached, rollouts: s.tracked, mapper: s.mapper, open: s.open})
	r.Readiness = clusterMachines{live: s.live, reader: s.tracked, open: s.open}
}

// ReadFrom prepares a Reconciler without a manager: everything is installed, and c has read it. Somebody else watches.
func (r *Reconciler) ReadFrom(c client.Client, live client.Reader, mapper meta.RESTMapper) {
	r.ClusterVersion, r.MachineConfigPools = &Installed{yes: true}, &Installed{yes: true}
	r.reader, r.writer.Writer = reader{c, r.Kind}, c
	open := func(context.Context, client.Object) error { return nil }
	r.readFrom(sources{cached: c, tracked: c, live: live, mapper: mapper, open: open})
}

// Indexes returns the indexes by which the signals find Machines and Nodes.
func Indexes() []mhcspec.Index {
	return []mhcspec.Index{
		{Object: &clusterv1.Machine{}, Field: machinesByCluster, Extract: clusterOfMachine},
		{Object: &corev1.Node{}, Field: nodesByMachine, Extract: machinesOfNode},
	}
}
