package scaffold

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// contractVersions are the versions of providers' kinds by Cluster API's contract, and the one to come.
var contractVersions = []string{"v1", "v1beta2", "v1beta1"}

// GetServed reads an object of a provider past the cache in the version that is served, and gives it that version: a reference of Cluster API names
// none.
func GetServed(ctx context.Context, live client.Reader, kinds meta.RESTMapper, kind schema.GroupKind, key client.ObjectKey, obj client.Object) error {
	mapping, err := kinds.RESTMapping(kind)
	if err != nil {
		return fmt.Errorf("looking for kind %s of %s: %w", kind.Kind, kind.Group, err)
	}
	obj.GetObjectKind().SetGroupVersionKind(mapping.GroupVersionKind)
	if err := AsServed(kinds, obj.GetObjectKind(), func() error { return live.Get(ctx, key, obj) }); err != nil {
		return fmt.Errorf("getting %s %s: %w", kind.Kind, key.Name, err)
	}
	return nil
}

// AsServed calls read for a provider's object, or a list of them, in the version that it has. A mapper keeps what it has read, also when a version is
// served no more. Then AsServed asks it for the others, and calls read again: the object only seems to be gone.
func AsServed(kinds meta.RESTMapper, object schema.ObjectKind, read func() error) error {
	err := read()
	if !apierrors.IsNotFound(err) || !apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse) {
		return err
	}
	kind := object.GroupVersionKind()
	others := slices.DeleteFunc(slices.Clone(contractVersions), func(version string) bool { return version == kind.Version })
	mapping, err := kinds.RESTMapping(kind.GroupKind(), others...)
	if err != nil {
		return fmt.Errorf("looking for kind %s of %s: %w", kind.Kind, kind.Group, err)
	}
	object.SetGroupVersionKind(mapping.GroupVersionKind)
	return read()
}
