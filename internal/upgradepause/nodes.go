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

	"github.com/sickbay-dev/sickbay/internal/openshift"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

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
	switch err := m.open(ctx, scaffold.MetadataOf(openshift.Kind)); {
	case meta.IsNoMatchError(err):
		return nil, nil // the kind is not installed
	case err != nil:
		return nil, err
	}
	if err := m.open(ctx, &corev1.Node{}); err != nil {
		return nil, err
	}
	machines := scaffold.MetadataListOf(openshift.Kind)
	err = m.reader.List(ctx, machines, client.InNamespace(check.Namespace), client.MatchingLabelsSelector{Selector: selector}, client.UnsafeDisableDeepCopy)
	if err != nil {
		return nil, fmt.Errorf("listing Machines in %s: %w", check.Namespace, err)
	}
	ready, err := m.withReadyNode(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for i := range machines.Items {
		machine := &machines.Items[i]
		if machine.DeletionTimestamp.IsZero() && !ready[client.ObjectKeyFromObject(machine).String()] {
			names = append(names, machine.Name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// withReadyNode returns the Machines that have a Ready Node, as namespace/name.
func (m openshiftMachines) withReadyNode(ctx context.Context) (map[string]bool, error) {
	var nodes corev1.NodeList
	if err := m.reader.List(ctx, &nodes, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("listing Nodes: %w", err)
	}
	ready := map[string]bool{}
	for i := range nodes.Items {
		if node := &nodes.Items[i]; noderefutil.IsNodeReady(node) {
			ready[node.Annotations[pause.MachineOfNode]] = true
		}
	}
	return ready, nil
}
