package upgradepause

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// sources are what the signals read.
type sources struct {
	// cached has the kinds that were opened, and live reads past it.
	cached, live client.Reader
	mapper       meta.RESTMapper
	open         opener
}

// get reads an object. Only if the object is gone, the error says that something is not found.
func (s sources) get(ctx context.Context, key client.ObjectKey, obj client.Object) error {
	if err := s.open(ctx, obj); err != nil {
		return err
	}
	kind := scaffold.KindOf(obj) // reading may empty it
	if err := s.cached.Get(ctx, key, obj); err != nil {
		return fmt.Errorf("getting %s %s: %w", kind, key.Name, err)
	}
	return nil
}

// list lists the objects of a kind. They share their parts with the cache.
func (s sources) list(ctx context.Context, kind client.Object, list client.ObjectList, opts ...client.ListOption) error {
	if err := s.open(ctx, kind); err != nil {
		return err
	}
	if err := s.cached.List(ctx, list, append(opts, client.UnsafeDisableDeepCopy)...); err != nil {
		return fmt.Errorf("listing all of kind %s: %w", scaffold.KindOf(kind), err)
	}
	return nil
}

// readFrom sets the signals, and what reports the machines that are not back.
func (r *Reconciler) readFrom(s sources) {
	r.Signals = []Signal{clusterVersion{s, r.ClusterVersion}}
	if r.Kind == OpenShiftKind {
		// MachineConfigPools concern only OpenShift's MachineHealthChecks.
		r.Signals = append(r.Signals, machineConfigPools{s, r.MachineConfigPools})
		r.Readiness = openshiftMachines{s}
		return
	}
	r.Signals = append(r.Signals, clusterAPI{s})
	r.Readiness = clusterMachines{s}
}

// ReadFrom prepares a Reconciler without a manager: everything is installed, and c has read it. Somebody else watches.
func (r *Reconciler) ReadFrom(c client.Client, live client.Reader, mapper meta.RESTMapper) {
	r.ClusterVersion, r.MachineConfigPools = &Installed{yes: true}, &Installed{yes: true}
	r.reader, r.writer.Writer = reader{c, r.Kind}, c
	r.readFrom(sources{c, live, mapper, func(context.Context, client.Object) error { return nil }})
}

// machinesByCluster indexes Machines by their Cluster.
const machinesByCluster = "sickbay.upgrade.cluster"

// Indexes returns the index by which the signal of a Cluster finds its Machines.
func Indexes() []mhcspec.Index {
	return []mhcspec.Index{{Object: &clusterv1.Machine{}, Field: machinesByCluster, Extract: func(obj client.Object) []string {
		return []string{obj.(*clusterv1.Machine).Spec.ClusterName}
	}}}
}

// machinesOf returns the Machines of a Cluster.
func (s sources) machinesOf(ctx context.Context, cluster client.ObjectKey) ([]clusterv1.Machine, error) {
	var machines clusterv1.MachineList
	err := s.list(ctx, &clusterv1.Machine{}, &machines, client.InNamespace(cluster.Namespace), client.MatchingFields{machinesByCluster: cluster.Name})
	return machines.Items, err
}
