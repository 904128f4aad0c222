package mhcspec

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/cachelist"
)

const (
	byCluster  = "sickbay.cluster"
	byNode     = "sickbay.node"
	byTemplate = "sickbay.template"
	leftAlone  = "sickbay.left-alone"
	inDeletion = "sickbay.in-deletion"
)

// deleting is the index value of a Machine that is being deleted.
const deleting = "deleting"

// The index values of leftAlone.
const (
	leftByHold  = "hold"
	leftByPause = "paused"
	leftBySkip  = "skip"
)

// Index is a field index on the manager's cache.
type Index struct {
	Object  client.Object
	Field   string
	Extract client.IndexerFunc
}

// Indexes returns the indexes that the functions of this package need. They use spec.clusterName, because the label may be missing without Cluster
// API's webhooks.
func Indexes() []Index {
	return []Index{
		{&clusterv1.Machine{}, byCluster, func(obj client.Object) []string {
			return []string{obj.(*clusterv1.Machine).Spec.ClusterName}
		}},
		{&clusterv1.Machine{}, byNode, func(obj client.Object) []string {
			machine := obj.(*clusterv1.Machine)
			if !machine.Status.NodeRef.IsDefined() {
				return nil
			}
			return []string{nodeKey(machine.Spec.ClusterName, machine.Status.NodeRef.Name)}
		}},
		{&clusterv1.MachineHealthCheck{}, byCluster, func(obj client.Object) []string {
			return []string{obj.(*clusterv1.MachineHealthCheck).Spec.ClusterName}
		}},
		{&clusterv1.MachineHealthCheck{}, byIndexLabel, indexLabelValues},
		{&clusterv1.MachineHealthCheck{}, byTemplate, func(obj client.Object) []string {
			ref := obj.(*clusterv1.MachineHealthCheck).Spec.Remediation.TemplateRef
			if !ref.IsDefined() {
				return nil
			}
			kind := ref.GroupVersionKind().GroupKind()
			return []string{templateKey(kind, ref.Name), templatesKey(kind, obj.(*clusterv1.MachineHealthCheck).Spec.ClusterName)}
		}},
		{&clusterv1.Machine{}, inDeletion, func(obj client.Object) []string {
			if obj.GetDeletionTimestamp().IsZero() {
				return nil
			}
			return []string{deleting}
		}},
		{&clusterv1.Machine{}, leftAlone, whyLeftAlone},
		{&clusterv1.MachineHealthCheck{}, leftAlone, whyLeftAlone},
		{&clusterv1.Cluster{}, leftAlone, whyLeftAlone},
	}
}

// whyLeftAlone says which annotations of an object keep Sickbay from repairing it.
func whyLeftAlone(obj client.Object) []string {
	var why []string
	for _, one := range []struct{ annotation, value string }{
		{HoldUntilAnnotation, leftByHold}, {clusterv1.PausedAnnotation, leftByPause}, {clusterv1.MachineSkipRemediationAnnotation, leftBySkip},
	} {
		if HasAnnotation(obj, one.annotation) {
			why = append(why, one.value)
		}
	}
	return why
}

// AddIndexes adds the indexes to a cache. It must be called before the cache is used.
func AddIndexes(ctx context.Context, indexer client.FieldIndexer) error {
	return AddTo(ctx, indexer, Indexes())
}

// AddTo adds any indexes to a cache.
func AddTo(ctx context.Context, indexer client.FieldIndexer, indexes []Index) error {
	for _, index := range indexes {
		if err := indexer.IndexField(ctx, index.Object, index.Field, index.Extract); err != nil {
			return fmt.Errorf("indexing %T by %s: %w", index.Object, index.Field, err)
		}
	}
	return nil
}

// nodeKey joins cluster and Node name, because Nodes of two clusters may have the same name. Neither contains a slash.
func nodeKey(cluster, node string) string { return cluster + "/" + node }

// MachinesOf lists the Machines of a cluster. They are not copied: the caller must not change them.
func MachinesOf(ctx context.Context, reader client.Reader, cluster client.ObjectKey) ([]*clusterv1.Machine, error) {
	return machines(ctx, reader, cluster.Namespace, byCluster, cluster.Name, "listing machines of", cluster)
}

// MachinesSelectedBy lists the Machines that a MachineHealthCheck selects. They are not copied: the caller must not change them.
func (s *Selectors) MachinesSelectedBy(ctx context.Context, reader client.Reader, mhc *clusterv1.MachineHealthCheck) ([]*clusterv1.Machine, error) {
	if s.Problem(mhc) != nil {
		return nil, nil
	}
	all, err := MachinesOf(ctx, reader, client.ObjectKey{Namespace: mhc.Namespace, Name: mhc.Spec.ClusterName})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(machine *clusterv1.Machine) bool { return !s.Matches(mhc, machine) }), nil
}

// MachinesOfNode lists the Machines that have a given Node of a cluster: usually one, or two for a moment. They are not copied: the caller must not
// change them.
func MachinesOfNode(ctx context.Context, reader client.Reader, cluster client.ObjectKey, node string) ([]*clusterv1.Machine, error) {
	return machines(ctx, reader, cluster.Namespace, byNode, nodeKey(cluster.Name, node), "listing machines of", cluster)
}

func machines(ctx context.Context, reader client.Reader, namespace, field, value, doing string, of any) ([]*clusterv1.Machine, error) {
	all, err := cachelist.List[*clusterv1.Machine](ctx, reader, &clusterv1.MachineList{}, namespace, field, value)
	return all, explained(err, doing, of)
}

// explained says what was being done when an error came, if one did.
func explained(err error, doing string, of any) error {
	if err != nil {
		return fmt.Errorf("%s %v: %w", doing, of, err)
	}
	return nil
}

// MachinesInDeletion lists from a cache the Machines that are being deleted, without reading any other. They are not copied: the caller must not
// change them.
func MachinesInDeletion(ctx context.Context, reader client.Reader) ([]*clusterv1.Machine, error) {
	return machines(ctx, reader, "", inDeletion, deleting, "listing machines", "that are being deleted")
}

// MachineHealthChecksOf lists the MachineHealthChecks of a cluster. They are not
// copied: the caller must not change them.
func MachineHealthChecksOf(ctx context.Context, reader client.Reader, cluster client.ObjectKey) ([]*clusterv1.MachineHealthCheck, error) {
	return healthChecks(ctx, reader, cluster.Namespace, byCluster, cluster.Name, "listing MachineHealthChecks of", cluster)
}

func healthChecks(ctx context.Context, reader client.Reader, namespace, field, value, doing string, of any) ([]*clusterv1.MachineHealthCheck, error) {
	all, err := cachelist.List[*clusterv1.MachineHealthCheck](ctx, reader, &clusterv1.MachineHealthCheckList{}, namespace, field, value)
	return all, explained(err, doing, of)
}

// MachineHealthChecksUsing lists the MachineHealthChecks that refer to a template. They are not copied: the caller must not change them.
func MachineHealthChecksUsing(ctx context.Context, reader client.Reader, kind schema.GroupKind, template client.ObjectKey) ([]*clusterv1.MachineHealthCheck, error) {
	return healthChecks(ctx, reader, template.Namespace, byTemplate, templateKey(kind, template.Name), "listing MachineHealthChecks that use "+kind.Kind, template)
}

// MachineHealthChecksWith lists the MachineHealthChecks of a cluster that refer to any template of a kind. They are not copied: the caller must not change them.
func MachineHealthChecksWith(ctx context.Context, reader client.Reader, kind schema.GroupKind, cluster client.ObjectKey) ([]*clusterv1.MachineHealthCheck, error) {
	return healthChecks(ctx, reader, cluster.Namespace, byTemplate, templatesKey(kind, cluster.Name), "listing MachineHealthChecks that use a "+kind.Kind+", of", cluster)
}

func templateKey(kind schema.GroupKind, name string) string { return kind.String() + "/" + name }

// templatesKey has an @ after the kind instead of a slash, so it never equals a templateKey.
func templatesKey(kind schema.GroupKind, cluster string) string { return kind.String() + "@" + cluster }

// ClusterOf returns the key of the Cluster of a Machine.
func ClusterOf(machine *clusterv1.Machine) client.ObjectKey {
	return client.ObjectKey{Namespace: machine.Namespace, Name: machine.Spec.ClusterName}
}

// LiveMachinesOf lists the Machines of a cluster with a reader that has no indexes. It uses the label that Cluster API sets on each Machine, because
// a namespace may have Machines of many clusters.
func LiveMachinesOf(ctx context.Context, live client.Reader, cluster client.ObjectKey) ([]*clusterv1.Machine, error) {
	var list clusterv1.MachineList
	if err := live.List(ctx, &list, client.InNamespace(cluster.Namespace), client.MatchingLabels{clusterv1.ClusterNameLabel: cluster.Name}); err != nil {
		return nil, fmt.Errorf("listing machines of %s: %w", cluster, err)
	}
	var machines []*clusterv1.Machine
	for i := range list.Items {
		if list.Items[i].Spec.ClusterName == cluster.Name {
			machines = append(machines, &list.Items[i])
		}
	}
	return machines, nil
}
