package upgradepause

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/cluster-api/controllers/noderefutil"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/scaffold"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

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
	return scaffold.MetadataOf(OpenShiftKind.GroupVersion().WithKind("Machine"))
}

// openshiftMachines is the Readiness of OpenShift's Machines. Their Nodes are in the same cluster.
type openshiftMachines struct {
	// live reads past the cache.
	live, reader client.Reader
	open         opener
}

// NotReady implements Readiness.
func (m openshiftMachines) NotReady(ctx context.Context, check *metav1.PartialObjectMetadata) ([]string, error) {
	selector, err := selectorOf(ctx, m.live, check)
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
	var machines metav1.PartialObjectMetadataList
	machines.SetGroupVersionKind(OpenShiftKind.GroupVersion().WithKind("MachineList"))
	err = m.reader.List(ctx, &machines, client.InNamespace(check.Namespace), client.MatchingLabelsSelector{Selector: selector}, client.UnsafeDisableDeepCopy)
	if err != nil {
		return nil, fmt.Errorf("listing Machines in %s: %w", check.Namespace, err)
	}
	var names []string
	for i := range machines.Items {
		machine := &machines.Items[i]
		ready, err := m.hasReadyNode(ctx, client.ObjectKeyFromObject(machine))
		if err != nil {
			return nil, err
		}
		if !ready && machine.DeletionTimestamp.IsZero() {
			names = append(names, machine.Name)
		}
	}
	slices.Sort(names)
	return names, nil
}

func (m openshiftMachines) hasReadyNode(ctx context.Context, machine client.ObjectKey) (bool, error) {
	var nodes corev1.NodeList
	if err := m.reader.List(ctx, &nodes, client.MatchingFields{nodesByMachine: machine.String()}, client.UnsafeDisableDeepCopy); err != nil {
		return false, fmt.Errorf("listing the Nodes of Machine %s: %w", machine, err)
	}
	return slices.ContainsFunc(nodes.Items, func(node corev1.Node) bool { return noderefutil.IsNodeReady(&node) }), nil
}
