package scenario

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// dedicated is a taint that no program sets.
var dedicated = corev1.Taint{Key: "dedicated", Value: "database", Effect: corev1.TaintEffectNoSchedule}

// Dress adds labels, annotations and a taint to a Node as people do, cordons it, and returns it.
func Dress(ctx context.Context, c client.Client, name string) (*corev1.Node, error) {
	node := &corev1.Node{}
	if err := c.Get(ctx, client.ObjectKey{Name: name}, node); err != nil {
		return nil, fmt.Errorf("getting Node %s: %w", name, err)
	}
	before := node.DeepCopy()
	metav1.SetMetaDataLabel(&node.ObjectMeta, "rack", "7")
	metav1.SetMetaDataAnnotation(&node.ObjectMeta, "example.com/bought", "2024")
	node.Spec.Taints = append(node.Spec.Taints, dedicated)
	node.Spec.Unschedulable = true
	if err := c.Patch(ctx, node, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
		return nil, fmt.Errorf("patching Node %s: %w", name, err)
	}
	return node, nil
}

// Restored returns an error unless a new Node of that name has everything that was on the old one. It ignores what
// Cluster API itself writes, which may come later.
func Restored(ctx context.Context, c client.Client, before *corev1.Node) error {
	node := &corev1.Node{}
	if err := c.Get(ctx, client.ObjectKeyFromObject(before), node); err != nil {
		return fmt.Errorf("getting Node %s: %w", before.Name, err)
	}
	if node.UID == before.UID {
		return fmt.Errorf("the Node %s was not replaced", node.Name)
	}
	for what, maps := range map[string][2]map[string]string{
		"label": {before.Labels, node.Labels}, "annotation": {before.Annotations, node.Annotations},
	} {
		for key, value := range maps[0] {
			if got, ok := maps[1][key]; !strings.HasPrefix(key, clusterv1.GroupVersion.Group+"/") && (!ok || got != value) {
				return fmt.Errorf("the %s %s of Node %s is %q, and was %q", what, key, node.Name, got, value)
			}
		}
	}
	if !slices.Contains(node.Spec.Taints, dedicated) || !node.Spec.Unschedulable {
		return fmt.Errorf("the taint or the cordon of Node %s is not back: %+v", node.Name, node.Spec)
	}
	return nil
}
