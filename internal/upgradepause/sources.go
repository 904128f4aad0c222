package upgradepause

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// readFrom sets the signals, and what reports the machines that are not back. live reads past the cache.
func (r *Reconciler) readFrom(cached, live client.Reader, mapper meta.RESTMapper, open opener) {
	r.Signals = []Signal{clusterVersion{reader: cached, installed: r.ClusterVersion, open: open}}
	if r.Kind == OpenShiftKind {
		// MachineConfigPools concern only OpenShift's MachineHealthChecks.
		r.Signals = append(r.Signals, machineConfigPools{reader: cached, installed: r.MachineConfigPools, open: open})
		r.Readiness = openshiftMachines{live: live, reader: cached, open: open}
		return
	}
	r.Signals = append(r.Signals, clusterAPI{reader: cached, mapper: mapper, open: open})
	r.Readiness = clusterMachines{live: live, reader: cached, open: open}
}

// ReadFrom prepares a Reconciler without a manager: everything is installed, and c has read it. Somebody else watches.
func (r *Reconciler) ReadFrom(c client.Client, live client.Reader, mapper meta.RESTMapper) {
	r.ClusterVersion, r.MachineConfigPools = &Installed{yes: true}, &Installed{yes: true}
	r.reader, r.writer.Writer = reader{c, r.Kind}, c
	r.readFrom(c, live, mapper, func(context.Context, client.Object) error { return nil })
}

// Indexes returns the index by which the signal of a Cluster finds its Machines.
func Indexes() []mhcspec.Index {
	return []mhcspec.Index{{Object: &clusterv1.Machine{}, Field: machinesByCluster, Extract: clusterOfMachine}}
}
