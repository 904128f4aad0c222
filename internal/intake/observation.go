package intake

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/intake/ask"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/openshift"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// observation is what was read about one Machine. It is empty if that is paused, or its Cluster: by Cluster API's contract, nobody touches it then. The same
// holds for the copy of another Machine.
type observation struct {
	facts ask.Facts
	// machine is nil if there is none, or if it is being deleted: then nobody needs it cycled.
	machine *clusterv1.Machine
	cluster *clusterv1.Cluster
}

// observe reads past the cache: a record is made once.
func (r reader) observe(ctx context.Context, key client.ObjectKey) (observation, error) {
	machine, err := r.machine(ctx, key)
	if err != nil {
		return observation{}, err
	}
	if machine == nil || !machine.DeletionTimestamp.IsZero() {
		return r.observeGone(ctx, key)
	}
	v, alone := observation{machine: machine}, false
	v.facts.Drains = r.drains
	if v.cluster, alone, err = r.leftAlone(ctx, machine); alone || err != nil {
		return observation{}, err
	}
	if v.facts.Requests, err = r.requestsOf(ctx, r.live, key); err != nil {
		return v, err
	}
	v.facts.Records, err = recordstore.LiveOfMachines(ctx, r.live, key.Namespace, machine.UID)
	if meta.IsNoMatchError(err) || apierrors.IsNotFound(err) {
		v.facts.NotInstalled, err = true, nil
	}
	if err != nil {
		return v, err
	}
	v.facts.Machine, err = r.machineFacts(ctx, machine)
	return v, err
}

// leftAlone reads the Cluster of a Machine, and reports whether nobody touches that Machine: it is paused, or its Cluster is, or it goes with a
// Cluster that is gone, or it is only the copy of another one. After a pause, nobody would hand back what is left when Sickbay drains.
func (r reader) leftAlone(ctx context.Context, machine *clusterv1.Machine) (cluster *clusterv1.Cluster, alone bool, err error) {
	name := machine.Spec.ClusterName
	switch {
	case mhcspec.MachinePaused(machine) && !r.drains:
		return nil, true, nil
	case r.kind == openshift.Kind:
		alone, err = openshift.Copied(ctx, r.live, client.ObjectKeyFromObject(machine))
		return nil, alone, err
	case name == "":
		return nil, false, nil
	}
	cluster, err = scaffold.Find(ctx, r.live, client.ObjectKey{Namespace: machine.Namespace, Name: name}, &clusterv1.Cluster{})
	return cluster, !r.drains && (cluster == nil || mhcspec.ClusterPaused(cluster)), err
}

// observeGone reads who waits for an answer about a Machine that is gone, or goes. Its UID is not known any more, so it looks for their records among
// all of the namespace.
func (r reader) observeGone(ctx context.Context, key client.ObjectKey) (v observation, err error) {
	v.facts.Drains = r.drains
	v.facts.Machine = ask.Machine{Gone: true, Ref: v1alpha1.RemediatedMachineReference{APIGroup: r.kind.Group, Name: key.Name}}
	if v.facts.Requests, err = r.requestsOf(ctx, r.live, key); err != nil || len(v.facts.Requests) == 0 {
		return v, err
	}
	var all v1alpha1.MachineRemediationList
	err = r.live.List(ctx, &all, client.InNamespace(key.Namespace))
	if meta.IsNoMatchError(err) || apierrors.IsNotFound(err) {
		v.facts.NotInstalled = true
		return v, nil
	}
	if err != nil {
		return v, fmt.Errorf("listing MachineRemediations in %s: %w", key.Namespace, err)
	}
	for i := range all.Items {
		if one := &all.Items[i]; one.Spec.MachineRef.Name == key.Name && one.Spec.AskedFor() {
			v.facts.Records = append(v.facts.Records, one)
		}
	}
	return v, nil
}
