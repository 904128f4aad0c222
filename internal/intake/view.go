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
	"github.com/sickbay-dev/sickbay/internal/record"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// view is what was read about one Machine. It is empty if that is paused, or its Cluster: by Cluster API's contract, nobody touches it then. So it is
// for the copy of another Machine.
type view struct {
	facts ask.Facts
	// machine is nil if there is none, or if it is being deleted: then nobody needs it cycled.
	machine *clusterv1.Machine
	cluster *clusterv1.Cluster
}

// observe reads past the cache: a record is made once.
func (r reader) observe(ctx context.Context, key client.ObjectKey) (view, error) {
	var v view
	if copied, err := r.copied(ctx, key); copied || err != nil {
		return v, err
	}
	machine, err := r.machine(ctx, key)
	switch {
	case err != nil:
		return v, err
	case machine == nil || !machine.DeletionTimestamp.IsZero():
		return r.observeGone(ctx, key)
	case mhcspec.MachinePaused(machine):
		return v, nil
	}
	v.machine = machine
	if v.facts.Requests, err = r.requestsOf(ctx, r.live, key); err != nil {
		return v, err
	}
	v.facts.Records, err = record.LiveOfMachine(ctx, r.live, key.Namespace, machine.UID)
	if meta.IsNoMatchError(err) || apierrors.IsNotFound(err) {
		v.facts.NotInstalled, err = true, nil
	}
	if err != nil {
		return v, err
	}
	if name := machine.Spec.ClusterName; name != "" {
		v.cluster, err = scaffold.Find(ctx, r.live, client.ObjectKey{Namespace: key.Namespace, Name: name}, &clusterv1.Cluster{})
		if err != nil || v.cluster == nil || mhcspec.ClusterPaused(v.cluster) {
			// If its Cluster is gone, the Machine goes, too.
			return view{}, err
		}
	}
	v.facts.Machine, err = r.machineFacts(ctx, machine)
	return v, err
}

// observeGone reads who waits for an answer about a Machine that is gone, or goes. Its UID is not known any more, so it looks for their records among
// all of the namespace.
func (r reader) observeGone(ctx context.Context, key client.ObjectKey) (v view, err error) {
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
