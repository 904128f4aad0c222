package intake

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/intake/ask"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/record"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// view is what was read about one Machine.
type view struct {
	facts ask.Facts
	// machine is nil if there is none, or if it is being deleted: then nobody needs it cycled. So it is if it is paused, or its Cluster: by Cluster
	// API's contract, nobody touches it then.
	machine *clusterv1.Machine
	cluster *clusterv1.Cluster
}

// observe reads past the cache: a record is made once.
func (r reader) observe(ctx context.Context, key client.ObjectKey) (view, error) {
	var v view
	machine, err := r.machine(ctx, key)
	if err != nil || machine == nil || !machine.DeletionTimestamp.IsZero() || mhcspec.MachinePaused(machine) {
		return v, err
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
