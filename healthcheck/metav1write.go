package healthcheck

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck/internal/ownwrites"
)

// Apply implements Store.
func (s Metav1Store[T]) Apply(ctx context.Context, obj T, conditions []Condition) error {
	if s.Client == nil {
		return errNoClient
	}
	list := []any{}
	for _, c := range conditions {
		if !s.staysForeign(obj, c) {
			list = append(list, s.fields(c))
		}
	}
	gvk, err := s.Client.GroupVersionKindFor(obj)
	if err != nil {
		return fmt.Errorf("finding the kind of %T: %w", obj, err)
	}
	written, err := s.apply(ctx, obj, gvk, list)
	if err == nil && written.GetUID() != "" && written.GetUID() != obj.GetUID() {
		// The API server ignores the UID when it writes a status. Another object has taken the name meanwhile, and
		// what we wrote is not about it. Only the fake client of controller-runtime answers without a UID.
		_, err = s.apply(ctx, obj, gvk, []any{})
		err = errors.Join(err, apierrors.NewConflict(schema.GroupResource{Group: gvk.Group, Resource: gvk.Kind}, obj.GetName(), errReplaced))
	}
	if err != nil {
		return fmt.Errorf("writing conditions of %s %s: %w", gvk.Kind, client.ObjectKeyFromObject(obj), err)
	}
	obj.SetResourceVersion(written.GetResourceVersion())
	return nil
}

// errReplaced says that the judged object no longer exists, and another has its name.
var errReplaced = errors.New("the judged object was replaced by another of the same name")

// apply writes the list and returns the written object. It takes fields of our conditions from other owners, but never
// the list as a whole: that would remove the conditions of all others. If the managed fields show that the list has keys,
// one request is enough for that.
func (s Metav1Store[T]) apply(ctx context.Context, obj T, gvk schema.GroupVersionKind, list []any) (client.Object, error) {
	if ownwrites.ConditionsHaveKeys(obj) {
		return s.applyBy(ctx, obj, gvk, list, client.FieldOwner(s.FieldOwner), client.ForceOwnership)
	}
	written, err := s.applyBy(ctx, obj, gvk, list, client.FieldOwner(s.FieldOwner))
	disputed := disputedFields(err)
	if len(disputed) == 0 {
		return written, err
	}
	if !slices.ContainsFunc(disputed, isList) {
		return s.applyBy(ctx, obj, gvk, list, client.FieldOwner(s.FieldOwner), client.ForceOwnership)
	}
	return nil, fmt.Errorf("status.conditions of %s is a list without keys, and somebody else has written it: writing ours would remove theirs; "+
		"add the markers +listType=map and +listMapKey=type to the field Conditions of the Go type, and generate its definition anew", gvk.Kind)
}

// disputedFields returns the fields that an apply would take from other owners; none if err is another error.
func disputedFields(err error) []string {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil {
		return nil
	}
	var fields []string
	for _, cause := range status.Status().Details.Causes {
		if cause.Type == metav1.CauseTypeFieldManagerConflict {
			fields = append(fields, cause.Field)
		}
	}
	return fields
}

// isList reports whether a field is not part of one condition, but the list of all or something around it.
func isList(field string) bool { return !strings.HasPrefix(field, ".status.conditions[") }

func (s Metav1Store[T]) applyBy(ctx context.Context, obj T, gvk schema.GroupVersionKind, list []any, options ...client.SubResourceApplyOption) (client.Object, error) {
	u := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"conditions": list}}}
	u.SetGroupVersionKind(gvk)
	u.SetNamespace(obj.GetNamespace())
	u.SetName(obj.GetName())
	return u, s.Client.Status().Apply(ctx, client.ApplyConfigurationFromUnstructured(u), options...)
}

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
