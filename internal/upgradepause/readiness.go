package upgradepause

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/controllers/noderefutil"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/openshift"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// clusterMachines is the Readiness of Cluster API's Machines, which report whether their Node is Ready.
type clusterMachines struct{ sources }

// NotReady implements Readiness.
func (m clusterMachines) NotReady(ctx context.Context, check *metav1.PartialObjectMetadata) ([]string, error) {
	cluster, ok := clusterOf(check)
	if !ok {
		return nil, fmt.Errorf("it has no label %s", clusterv1.ClusterNameLabel)
	}
	selector, err := m.selectorOf(ctx, check)
	if err != nil {
		return nil, err
	}
	machines, err := m.machinesOf(ctx, cluster)
	return pause.NotReady(machines, selector), err
}

// openshiftMachines is the Readiness of OpenShift's Machines. Their Nodes are in the same cluster.
type openshiftMachines struct{ sources }

// NotReady implements Readiness.
func (m openshiftMachines) NotReady(ctx context.Context, check *metav1.PartialObjectMetadata) ([]string, error) {
	selector, err := m.selectorOf(ctx, check)
	if err != nil {
		return nil, err
	}
	machines := scaffold.MetadataListOf(openshift.Kind)
	err = m.list(ctx, scaffold.MetadataOf(openshift.Kind), machines, client.InNamespace(check.Namespace), client.MatchingLabelsSelector{Selector: selector})
	if meta.IsNoMatchError(err) {
		return nil, nil // the kind is not installed
	}
	var nodes corev1.NodeList
	if err == nil {
		err = m.list(ctx, &corev1.Node{}, &nodes)
	}
	if err != nil {
		return nil, err
	}
	ready := map[string]bool{}
	for i := range nodes.Items {
		if node := &nodes.Items[i]; noderefutil.IsNodeReady(node) {
			ready[node.Annotations[pause.MachineOfNode]] = true
		}
	}
	var names []string
	for i := range machines.Items {
		if machine := &machines.Items[i]; machine.DeletionTimestamp.IsZero() && !ready[client.ObjectKeyFromObject(machine).String()] {
			names = append(names, machine.Name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// selectorOf reads the selector of a MachineHealthCheck past the cache, which has the metadata alone. It is only read while a pause
// waits for Nodes.
func (s sources) selectorOf(ctx context.Context, check *metav1.PartialObjectMetadata) (labels.Selector, error) {
	key, full := client.ObjectKeyFromObject(check), &unstructured.Unstructured{}
	full.SetGroupVersionKind(check.GroupVersionKind())
	if err := s.live.Get(ctx, key, full); err != nil {
		return nil, fmt.Errorf("getting MachineHealthCheck %s: %w", key, err)
	}
	var has struct {
		Spec struct {
			Selector metav1.LabelSelector `json:"selector"`
		} `json:"spec"`
	}
	err := runtime.DefaultUnstructuredConverter.FromUnstructured(full.Object, &has)
	if err != nil {
		return nil, fmt.Errorf("reading MachineHealthCheck %s: %w", key, err)
	}
	selector, err := metav1.LabelSelectorAsSelector(&has.Spec.Selector)
	if err != nil {
		return nil, fmt.Errorf("reading the selector of MachineHealthCheck %s: %w", key, err)
	}
	return selector, nil
}
