// Package ownertemplate reads which annotations for power cycles the template of a Machine's owner carries. Those are on each of its machines, and
// come back whenever they are removed, so they ask for nothing.
package ownertemplate

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
)

// templates are where owners have the metadata of their machines: MachineSets and MachinePools of either API, and control planes.
var templates = [][]string{{"spec", "template", "metadata", "annotations"}, {"spec", "machineTemplate", "metadata", "annotations"}}

// Carried returns the annotations of a Machine that would ask for a power cycle, but that the template of its owner carries. It reads the owner only if
// the Machine has such an annotation; if it cannot, it returns all that the template may carry.
func Carried(ctx context.Context, live client.Reader, machine *clusterv1.Machine) ([]string, error) {
	keys := slices.DeleteFunc(slices.Clone(rebootannotation.Asking), func(key string) bool {
		value, there := machine.Annotations[key]
		return !there || rebootannotation.IsSign(value)
	})
	ref := metav1.GetControllerOf(machine)
	if len(keys) == 0 || ref == nil {
		return nil, nil
	}
	owner := &unstructured.Unstructured{}
	owner.SetGroupVersionKind(schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind))
	err := live.Get(ctx, client.ObjectKey{Namespace: machine.Namespace, Name: ref.Name}, owner)
	if apierrors.IsNotFound(err) || apierrors.IsForbidden(err) || meta.IsNoMatchError(err) {
		// It is gone, or of a kind that Sickbay does not know.
		return nil, nil
	}
	if err != nil {
		return keys, fmt.Errorf("reading the template of %s %s: %w", ref.Kind, ref.Name, err)
	}
	return slices.DeleteFunc(keys, func(key string) bool { return !carries(owner, key) }), nil
}

func carries(owner *unstructured.Unstructured, key string) bool {
	return slices.ContainsFunc(templates, func(path []string) bool {
		_, found, err := unstructured.NestedString(owner.Object, append(slices.Clone(path), key)...)
		return found && err == nil
	})
}

// Without returns a Machine without the annotations that the template of its owner carries; with all of them if that cannot be read.
func Without(ctx context.Context, live client.Reader, machine *clusterv1.Machine) (*clusterv1.Machine, error) {
	carried, err := Carried(ctx, live, machine)
	if err != nil || len(carried) == 0 {
		return machine, err
	}
	without := machine.DeepCopy()
	for _, key := range carried {
		delete(without.Annotations, key)
	}
	return without, nil
}
