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
// none. A mapper keeps what it has read, also when a version is served no more. Then this asks it for the others: the object only seems to be gone.
func GetServed(ctx context.Context, live client.Reader, kinds meta.RESTMapper, kind schema.GroupKind, key client.ObjectKey, obj client.Object) error {
	err := getAs(ctx, live, kinds, kind, key, obj)
	if !apierrors.IsNotFound(err) || !apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse) {
		return err
	}
	unserved := obj.GetObjectKind().GroupVersionKind().Version
	others := slices.DeleteFunc(slices.Clone(contractVersions), func(version string) bool { return version == unserved })
	return getAs(ctx, live, kinds, kind, key, obj, others...)
}

// getAs reads an object in the first of some versions that its kind has; without any, in the preferred one.
func getAs(ctx context.Context, live client.Reader, kinds meta.RESTMapper, kind schema.GroupKind, key client.ObjectKey, obj client.Object, versions ...string) error {
	mapping, err := kinds.RESTMapping(kind, versions...)
	if err != nil {
		return fmt.Errorf("looking for kind %s of %s: %w", kind.Kind, kind.Group, err)
	}
	obj.GetObjectKind().SetGroupVersionKind(mapping.GroupVersionKind)
	if err := live.Get(ctx, key, obj); err != nil {
		return fmt.Errorf("getting %s %s: %w", kind.Kind, key.Name, err)
	}
	return nil
}
