package recordstore

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/cachelist"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

const (
	byMachine = "sickbay.machine-uid"
	byCluster = "sickbay.cluster"
	byOwner   = "sickbay.awaited-owner"
	byOpen    = "sickbay.open"
)

// Indexes returns the indexes that OfMachine, OfCluster, AwaitingOwner and Open need. They can be added once the kind is
// installed.
func Indexes() []mhcspec.Index {
	return []mhcspec.Index{
		{Object: &v1alpha1.MachineRemediation{}, Field: byMachine, Extract: func(obj client.Object) []string {
			return []string{string(obj.(*v1alpha1.MachineRemediation).Spec.MachineRef.UID)}
		}},
		{Object: &v1alpha1.MachineRemediation{}, Field: byCluster, Extract: func(obj client.Object) []string {
			return []string{obj.(*v1alpha1.MachineRemediation).Spec.ClusterName}
		}},
		{Object: &v1alpha1.MachineRemediation{}, Field: byOwner, Extract: func(obj client.Object) []string {
			return awaitedOwner(obj.(*v1alpha1.MachineRemediation))
		}},
		{Object: &v1alpha1.MachineRemediation{}, Field: byOpen, Extract: func(obj client.Object) []string {
			if obj.(*v1alpha1.MachineRemediation).Status.CompletionTime != nil {
				return nil
			}
			return []string{"true"}
		}},
	}
}

// AddIndexes adds the indexes to a cache. It must be called before records are first read from it.
func AddIndexes(ctx context.Context, indexer client.FieldIndexer) error {
	return mhcspec.AddTo(ctx, indexer, Indexes())
}

// OfMachine lists the records of a machine from a cache. They are not copied: the caller must not change them.
func OfMachine(ctx context.Context, reader client.Reader, namespace string, uid types.UID) ([]*v1alpha1.MachineRemediation, error) {
	return cached(ctx, reader, namespace, byMachine, string(uid), "listing MachineRemediations of the machine with UID", uid)
}

// OfCluster lists the records of a cluster from a cache. They are not copied: the caller must not change them.
func OfCluster(ctx context.Context, reader client.Reader, cluster client.ObjectKey) ([]*v1alpha1.MachineRemediation, error) {
	return cached(ctx, reader, cluster.Namespace, byCluster, cluster.Name, "listing MachineRemediations of", cluster)
}

// AwaitingOwner lists from a cache the records that wait for a controller to replace their machine: those that follow a
// plan and have an open attempt. They are not copied: the caller must not change them.
func AwaitingOwner(ctx context.Context, reader client.Reader, namespace string, maker Maker) ([]*v1alpha1.MachineRemediation, error) {
	return cached(ctx, reader, namespace, byOwner, string(maker), "listing MachineRemediations that wait for a machine of", maker)
}

// Open lists from a cache the records that have not ended. They are not copied: the caller must not change them.
func Open(ctx context.Context, reader client.Reader) ([]*v1alpha1.MachineRemediation, error) {
	return cached(ctx, reader, "", byOpen, "true", "listing open", "MachineRemediations")
}

func awaitedOwner(r *v1alpha1.MachineRemediation) []string {
	n := len(r.Status.Attempts)
	if r.Spec.BuiltIn() || n == 0 {
		return nil
	}
	if last := r.Status.Attempts[n-1]; last.EndTime == nil && last.ObjectRef != nil && last.ObjectRef.UID != "" {
		return []string{string(MakerOf(last.ObjectRef))}
	}
	return nil
}

// LiveOpenOfCluster lists the open records of a cluster with a reader that has no indexes.
func LiveOpenOfCluster(ctx context.Context, live client.Reader, cluster client.ObjectKey) ([]*v1alpha1.MachineRemediation, error) {
	all, err := list(ctx, live, client.InNamespace(cluster.Namespace), client.MatchingLabels{clusterv1.ClusterNameLabel: cluster.Name},
		client.HasLabels{v1alpha1.OpenLabel})
	return all, explained(err, "listing open MachineRemediations of", cluster)
}

// LiveOpen lists the open records of the machines of some records, all of one namespace, with a reader that has no indexes.
func LiveOpen(ctx context.Context, live client.Reader, of []*v1alpha1.MachineRemediation) ([]*v1alpha1.MachineRemediation, error) {
	machines := make([]types.UID, len(of))
	for i := range of {
		machines[i] = of[i].Spec.MachineRef.UID
	}
	return ofMachines(ctx, live, of[0].Namespace, machines, client.HasLabels{v1alpha1.OpenLabel})
}

// LiveOfMachines lists the records of machines with a reader that has no indexes. The UIDs are part of the request's path: give it a hundred at most.
func LiveOfMachines(ctx context.Context, live client.Reader, namespace string, machines ...types.UID) ([]*v1alpha1.MachineRemediation, error) {
	return ofMachines(ctx, live, namespace, machines)
}

func ofMachines(ctx context.Context, live client.Reader, namespace string, machines []types.UID, more ...client.ListOption) ([]*v1alpha1.MachineRemediation, error) {
	values := make([]string, len(machines))
	for i, uid := range machines {
		values[i] = string(uid)
	}
	ofThem, err := labels.NewRequirement(v1alpha1.MachineUIDLabel, selection.In, values)
	if err != nil {
		return nil, err
	}
	// The selector comes first, since it replaces those before it.
	options := []client.ListOption{client.InNamespace(namespace), client.MatchingLabelsSelector{Selector: labels.NewSelector().Add(*ofThem)}}
	all, err := list(ctx, live, append(options, more...)...)
	return all, explained(err, "listing MachineRemediations of the machines with UIDs", machines)
}

func cached(ctx context.Context, reader client.Reader, namespace, field, value, doing string, of any) ([]*v1alpha1.MachineRemediation, error) {
	all, err := cachelist.List[*v1alpha1.MachineRemediation](ctx, reader, &v1alpha1.MachineRemediationList{}, namespace, field, value)
	return all, explained(err, doing, of)
}

// explained says what was being done when an error came, if one did.
func explained(err error, doing string, of any) error {
	if err != nil {
		return fmt.Errorf("%s %v: %w", doing, of, err)
	}
	return nil
}

func list(ctx context.Context, live client.Reader, options ...client.ListOption) ([]*v1alpha1.MachineRemediation, error) {
	var all v1alpha1.MachineRemediationList
	if err := live.List(ctx, &all, options...); err != nil {
		return nil, err
	}
	records := make([]*v1alpha1.MachineRemediation, len(all.Items))
	for i := range all.Items {
		records[i] = &all.Items[i]
	}
	return records, nil
}
