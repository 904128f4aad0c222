package healthcheck

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck/internal/ownwrites"
)

// Remove implements Store.
func (s Metav1Store[T]) Remove(ctx context.Context, obj T, conditionTypes []string) error {
	if s.Client == nil {
		return errNoClient
	}
	operations := removal(obj.GetConditions(), conditionTypes)
	if len(operations) == 0 {
		return nil
	}
	if obj.GetUID() != "" {
		operations = slices.Insert(operations, 0, ownwrites.TestUID(obj))
	}
	gvk, err := s.Client.GroupVersionKindFor(obj)
	if err != nil {
		return fmt.Errorf("finding the kind of %T: %w", obj, err)
	}
	target := &unstructured.Unstructured{}
	target.SetGroupVersionKind(gvk)
	target.SetNamespace(obj.GetNamespace())
	target.SetName(obj.GetName())
	err = s.Client.Status().Patch(ctx, target, operations, client.FieldOwner(s.FieldOwner))
	if ownwrites.TestFailed(err) {
		err = apierrors.NewConflict(schema.GroupResource{Group: gvk.Group, Resource: gvk.Kind}, obj.GetName(), err)
	}
	if err != nil {
		return fmt.Errorf("removing conditions of %s %s: %w", gvk.Kind, client.ObjectKeyFromObject(obj), err)
	}
	obj.SetResourceVersion(target.GetResourceVersion())
	return nil
}

// removal returns a patch that removes conditions from the list in which they were seen, each only if the same condition is
// still in the same place. It does not require the version of the object: otherwise an object that changes all the time
// would keep its conditions for ever.
func removal(stored []metav1.Condition, conditionTypes []string) ownwrites.JSONPatch {
	var operations ownwrites.JSONPatch
	// Backward, so that the other indexes stay valid.
	for i, c := range slices.Backward(stored) {
		if !slices.Contains(conditionTypes, c.Type) {
			continue
		}
		path := fmt.Sprintf("/status/conditions/%d", i)
		for _, field := range []struct{ name, value string }{
			{"type", c.Type}, {"status", string(c.Status)}, {"reason", c.Reason}, {"message", c.Message},
		} {
			// An empty field may be missing from the object.
			if field.value != "" {
				operations = append(operations, ownwrites.Test(path+"/"+field.name, field.value))
			}
		}
		operations = append(operations, ownwrites.Remove(path))
	}
	return operations
}
