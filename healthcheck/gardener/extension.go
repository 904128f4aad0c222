package gardener

import (
	"fmt"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	v1beta1constants "github.com/gardener/gardener/pkg/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// accessor returns the interface that all extension objects share. For an unstructured
// object it returns a copy of its own type, since spec and status of all kinds have the
// same default shape.
func accessor(obj runtime.Object) (extensionsv1alpha1.Object, error) {
	switch o := obj.(type) {
	case extensionsv1alpha1.Object:
		return o, nil
	case *unstructured.Unstructured:
		extension := &extensionsv1alpha1.Extension{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, extension); err != nil {
			return nil, fmt.Errorf("reading %s %s: %w", o.GetKind(), client.ObjectKeyFromObject(o), err)
		}
		return extension, nil
	default:
		return nil, fmt.Errorf("%T is not an extension object of Gardener", obj)
	}
}

// extensionType returns spec.type of an extension object, such as "aws".
func extensionType(obj client.Object) string {
	if extension, err := accessor(obj); err == nil {
		return extension.GetExtensionSpec().GetExtensionType()
	}
	return ""
}

// classOf returns the class of an extension object. The default is "shoot".
func classOf(obj extensionsv1alpha1.Object) extensionsv1alpha1.ExtensionClass {
	if class := obj.GetExtensionSpec().GetExtensionClass(); class != nil {
		return *class
	}
	return extensionsv1alpha1.ExtensionClassShoot
}

// isLeaving reports whether obj is being deleted, or migrated to another seed.
func isLeaving(obj extensionsv1alpha1.Object) bool {
	if !obj.GetDeletionTimestamp().IsZero() {
		return true
	}
	if obj.GetAnnotations()[v1beta1constants.GardenerOperation] == v1beta1constants.GardenerOperationMigrate {
		return true
	}
	operation := obj.GetExtensionStatus().GetLastOperation()
	return operation != nil && operation.Type == gardencorev1beta1.LastOperationTypeMigrate
}
