package checks

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// Generic turns a rule for unstructured objects into one for typed objects. A typed object
// that was read has no apiVersion and kind, so the scheme provides them. An object whose
// kind cannot be found is Unknown, because the rule may depend on the kind.
func Generic[O client.Object](scheme *runtime.Scheme, rule Rule[*unstructured.Unstructured]) Rule[O] {
	return func(obj O) healthcheck.Result {
		u, err := toUnstructured(obj, scheme)
		if err != nil {
			return healthcheck.Result{Status: healthcheck.Unknown, Reason: healthcheck.ReasonCheckFailed, Message: err.Error()}
		}
		return rule(u)
	}
}

func toUnstructured(obj client.Object, scheme *runtime.Scheme) (*unstructured.Unstructured, error) {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		return u, nil
	}
	gvk, err := apiutil.GVKForObject(obj, scheme)
	if err != nil {
		return nil, fmt.Errorf("telling the kind of a %T: %w", obj, err)
	}
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, fmt.Errorf("converting a %T: %w", obj, err)
	}
	u := &unstructured.Unstructured{Object: fields}
	u.SetGroupVersionKind(gvk)
	return u, nil
}
