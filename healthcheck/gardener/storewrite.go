package gardener

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// operation is one operation of a JSON patch.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// patch changes single conditions of a list.
type patch struct {
	operations []operation
	// added are the conditions that the list does not have yet.
	added []gardencorev1beta1.Condition
}

const conditionsPath = "/status/conditions/"

// set replaces the condition at index, or appends it if index is negative.
func (p *patch) set(index int, c gardencorev1beta1.Condition) {
	if index < 0 {
		p.added = append(p.added, c)
		p.operations = append(p.operations, operation{Op: "add", Path: conditionsPath + "-", Value: c})
		return
	}
	p.operations = append(p.operations, operation{Op: "replace", Path: fmt.Sprint(conditionsPath, index), Value: c})
}

// Remove implements healthcheck.Store.
func (s Store[T]) Remove(ctx context.Context, obj T, conditionTypes []string) error {
	extension, err := accessor(obj)
	if err != nil {
		return err
	}
	var p patch
	// Backward, so that the other indexes stay valid.
	for i, c := range slices.Backward(extension.GetExtensionStatus().GetConditions()) {
		if slices.Contains(conditionTypes, string(c.Type)) {
			p.operations = append(p.operations, operation{Op: "remove", Path: fmt.Sprint(conditionsPath, i)})
		}
	}
	return s.write(ctx, obj, false, p)
}

// write sends a patch. IsNew says that there are no conditions yet, and perhaps no status
// either; then a JSON patch would have no path to start from.
func (s Store[T]) write(ctx context.Context, obj T, isNew bool, p patch) error {
	if len(p.operations) == 0 {
		return nil
	}
	kind, key := kindOf(obj), client.ObjectKeyFromObject(obj)
	version := obj.GetResourceVersion()
	format, body := types.JSONPatchType, any(append(p.operations, operation{"replace", "/metadata/resourceVersion", version}))
	if isNew {
		format, body = types.MergePatchType, map[string]any{
			"metadata": map[string]any{"resourceVersion": version},
			"status":   map[string]any{"conditions": p.added},
		}
	}
	encoded, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("encoding the conditions of %s %s: %w", kind, key, err)
	}
	written := obj.DeepCopyObject().(client.Object)
	owner := client.FieldOwner(cmp.Or(s.FieldOwner, "healthcheck"))
	if err := s.Client.Status().Patch(ctx, written, client.RawPatch(format, encoded), owner); err != nil {
		return fmt.Errorf("writing conditions of %s %s: %w", kind, key, err)
	}
	take(obj, written)
	return nil
}

// take copies the written conditions and their resource version to obj.
func take(obj, written client.Object) {
	obj.SetResourceVersion(written.GetResourceVersion())
	switch o := obj.(type) {
	case *unstructured.Unstructured:
		o.Object["status"] = written.(*unstructured.Unstructured).Object["status"]
	case extensionsv1alpha1.Object:
		o.GetExtensionStatus().SetConditions(written.(extensionsv1alpha1.Object).GetExtensionStatus().GetConditions())
	}
}
