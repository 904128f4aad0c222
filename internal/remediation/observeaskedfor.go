package remediation

import (
	"cmp"
	"context"
	"fmt"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/record"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
)

// otherRecords reads the other open records of the machine. What a person asks for waits for one that has begun, and for an earlier one of its
// kind; one of a health check that has not begun makes room for it. Before an act, they are read past the cache.
func (r *Reconciler) otherRecords(ctx context.Context, v *view) error {
	own := v.facts.Record
	all, err := r.recordsOfMachine(ctx, v)
	if err != nil {
		return err
	}
	for _, other := range all {
		switch {
		case other.UID == own.UID || ladder.Ended(other):
		case !own.Spec.AskedFor() && other.Spec.AskedFor():
			v.facts.Safety.Superseded = fmt.Sprintf("MachineRemediation %s is what %s asked for instead", other.Name, other.Spec.RequestedBy.Name)
		case own.Spec.AskedFor() && ladder.Before(other, own):
			v.facts.Safety.HeldByOthers = cmp.Or(v.facts.Safety.HeldByOthers, "MachineRemediation "+other.Name+" is at work on the machine")
		}
	}
	return nil
}

func (r *Reconciler) recordsOfMachine(ctx context.Context, v *view) ([]*v1alpha1.MachineRemediation, error) {
	own := v.facts.Record
	switch {
	case own.Spec.AskedFor() && v.how > cached:
		return record.LiveOfMachine(ctx, v.reader, own.Namespace, own.Spec.MachineRef.UID)
	case r.Client == nil:
		// A person looks, who need not see how two records make room for each other.
		return nil, nil
	}
	return record.OfMachine(ctx, r.Client, own.Namespace, own.Spec.MachineRef.UID)
}

// heldBy returns the objects whose hold counts for what a person asks for.
func heldBy(v *view) []client.Object {
	objects := []client.Object{v.machine}
	if v.mhc != nil {
		objects = append(objects, v.mhc)
	}
	if v.cluster != nil {
		objects = append(objects, v.cluster)
	}
	return objects
}

// judgeAskedFor reads who else works on the machine. Nobody judges its health: a person's word is enough.
func (r *Reconciler) judgeAskedFor(ctx context.Context, v *view) error {
	if v.cluster == nil {
		return nil
	}
	observer := *r.Observer
	observer.Nodes = v.nodes
	// The checks of no MachineHealthCheck are asked: only the Node matters.
	facts, err := observer.Facts(ctx, v.machine, &clusterv1.MachineHealthCheck{}, v.cluster, true)
	if err != nil {
		return err
	}
	v.node = facts.Node.Node
	others, err := r.cycleOfOthers(ctx, v.machine)
	v.facts.Safety.OthersAtWork = cmp.Or(workOfOthers(v.node), others)
	return err
}
