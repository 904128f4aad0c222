package upgradepause

import (
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/scaffold"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// opener watches a kind, and returns an error until it has been read.
type opener func(ctx context.Context, obj client.Object) error

// clusterMachines is the Readiness of Cluster API's Machines, which report whether their Node is Ready.
type clusterMachines struct {
	selectors *selectors
	reader    client.Reader
	censuses  *censuses
	open      opener
}

// NotReady implements Readiness.
func (m clusterMachines) NotReady(ctx context.Context, check *metav1.PartialObjectMetadata) ([]string, error) {
	cluster, ok := clusterOf(check)
	if !ok {
		return nil, fmt.Errorf("it has no label %s", clusterv1.ClusterNameLabel)
	}
	selector, err := m.selectors.of(ctx, check)
	if err != nil {
		return nil, err
	}
	if err := m.open(ctx, &clusterv1.Machine{}); err != nil {
		return nil, err
	}
	machines, err := m.censuses.of(ctx, m.reader, cluster)
	if err != nil {
		return nil, err
	}
	return machines.NotReady(selector), nil
}

// nodesByMachine indexes Nodes by their OpenShift Machine.
const nodesByMachine = "sickbay.upgrade.machine"

func machinesOfNode(obj client.Object) []string {
	if machine, ok := obj.GetAnnotations()[pause.MachineOfNode]; ok {
		return []string{machine}
	}
	return nil
}

// openshiftMachine returns an OpenShift Machine as metadata.
func openshiftMachine() *metav1.PartialObjectMetadata {
	machine := scaffold.MetadataOf(schema.GroupVersionKind{Group: OpenShiftKind.Group, Version: OpenShiftKind.Version, Kind: "Machine"})
	return machine
}

// openshiftMachines is the Readiness of OpenShift's Machines. Their Nodes are in the same cluster.
type openshiftMachines struct {
	selectors *selectors
	reader    client.Reader
	open      opener
}

// NotReady implements Readiness.
func (m openshiftMachines) NotReady(ctx context.Context, check *metav1.PartialObjectMetadata) ([]string, error) {
	machines, err := m.machines(ctx, check)
	if err != nil {
		return nil, err
	}
	return pause.NotReady(machines), nil
}

// Nodes returns the Nodes of a MachineHealthCheck's machines.
func (m openshiftMachines) Nodes(ctx context.Context, check *metav1.PartialObjectMetadata) ([]*corev1.Node, error) {
	machines, err := m.machines(ctx, check)
	if err != nil {
		return nil, err
	}
	return slices.Concat(slices.Collect(maps.Values(machines))...), nil
}

// machines returns the Nodes of each of a MachineHealthCheck's machines that is not being deleted.
func (m openshiftMachines) machines(ctx context.Context, check *metav1.PartialObjectMetadata) (map[string][]*corev1.Node, error) {
	selector, err := m.selectors.of(ctx, check)
	if err != nil {
		return nil, err
	}
	switch err := m.open(ctx, openshiftMachine()); {
	case meta.IsNoMatchError(err):
		return nil, nil // the kind is not installed
	case err != nil:
		return nil, err
	}
	if err := m.open(ctx, &corev1.Node{}); err != nil {
		return nil, err
	}
	var list metav1.PartialObjectMetadataList
	list.SetGroupVersionKind(OpenShiftKind.GroupVersion().WithKind("MachineList"))
	err = m.reader.List(ctx, &list, client.InNamespace(check.Namespace), client.MatchingLabelsSelector{Selector: selector}, client.UnsafeDisableDeepCopy)
	if err != nil {
		return nil, fmt.Errorf("listing Machines in %s: %w", check.Namespace, err)
	}
	machines := map[string][]*corev1.Node{}
	for i := range list.Items {
		machine := &list.Items[i]
		if !machine.DeletionTimestamp.IsZero() {
			continue
		}
		if machines[machine.Name], err = m.nodesOf(ctx, client.ObjectKeyFromObject(machine)); err != nil {
			return nil, err
		}
	}
	return machines, nil
}

func (m openshiftMachines) nodesOf(ctx context.Context, machine client.ObjectKey) ([]*corev1.Node, error) {
	var list corev1.NodeList
	if err := m.reader.List(ctx, &list, client.MatchingFields{nodesByMachine: machine.String()}, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("listing the Nodes of Machine %s: %w", machine, err)
	}
	var nodes []*corev1.Node
	for i := range list.Items {
		nodes = append(nodes, &list.Items[i])
	}
	return nodes, nil
}
