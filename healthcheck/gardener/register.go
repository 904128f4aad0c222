package gardener

import (
	"cmp"
	"fmt"
	"slices"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// GetExtensionObjectFunc returns an empty extension object.
type GetExtensionObjectFunc = func() extensionsv1alpha1.Object

// GetExtensionObjectListFunc returns an empty list of extension objects.
type GetExtensionObjectListFunc = func() client.ObjectList

// DefaultRegisterExtensionForHealthCheck registers checks as in Gardener's first versions,
// with a map from each check to the type of its condition. The conditions have the words of
// that time. A map has no order, so the texts are sorted by the types, names and contents
// of the checks.
func DefaultRegisterExtensionForHealthCheck(
	extensionType string,
	kind schema.GroupVersionKind,
	getExtensionObjFunc func() runtime.Object,
	mgr manager.Manager,
	opts DefaultAddArgs,
	customPredicates []predicate.Predicate,
	healthChecks map[HealthCheck]string,
) error {
	obj, ok := getExtensionObjFunc().(client.Object)
	if !ok {
		return fmt.Errorf("registration of %s %q: %T is not a client.Object", kind.Kind, extensionType, obj)
	}
	r := &Registration{
		Type: extensionType, Kind: kind, DefaultAddArgs: opts, Texts: TextsOfTheSeed,
		New:          func() client.Object { return getExtensionObjFunc().(client.Object) },
		Predicates:   append(DefaultPredicates(), customPredicates...),
		HealthChecks: inOrder(healthChecks),
	}
	return r.SetupWithManager(mgr)
}

// inOrder returns a sorted list of the checks in a map.
func inOrder(checks map[HealthCheck]string) []ConditionTypeToHealthCheck {
	list := make([]ConditionTypeToHealthCheck, 0, len(checks))
	for check, conditionType := range checks {
		list = append(list, ConditionTypeToHealthCheck{ConditionType: conditionType, HealthCheck: check})
	}
	describe := func(c ConditionTypeToHealthCheck) string {
		return fmt.Sprintf("%T %+v", takerOf(c.HealthCheck), takerOf(c.HealthCheck))
	}
	slices.SortFunc(list, func(a, b ConditionTypeToHealthCheck) int {
		return cmp.Or(cmp.Compare(a.ConditionType, b.ConditionType), cmp.Compare(nameOf(a.HealthCheck), nameOf(b.HealthCheck)),
			cmp.Compare(describe(a), describe(b)))
	})
	return list
}

// DefaultRegistration registers checks as in current versions of Gardener.
func DefaultRegistration(
	extensionType string,
	kind schema.GroupVersionKind,
	getExtensionObjListFunc GetExtensionObjectListFunc,
	getExtensionObjFunc GetExtensionObjectFunc,
	mgr manager.Manager,
	opts DefaultAddArgs,
	customPredicates []predicate.Predicate,
	healthChecks []ConditionTypeToHealthCheck,
	conditionTypesToRemove sets.Set[gardencorev1beta1.ConditionType],
) error {
	if _, ok := getExtensionObjFunc().(client.Object); !ok {
		return fmt.Errorf("registration of %s %q: %T is not a client.Object", kind.Kind, extensionType, getExtensionObjFunc())
	}
	r := &Registration{
		Type: extensionType, Kind: kind, DefaultAddArgs: opts,
		New:          func() client.Object { return getExtensionObjFunc().(client.Object) },
		NewList:      getExtensionObjListFunc,
		Predicates:   append(DefaultPredicates(), customPredicates...),
		HealthChecks: healthChecks,
		Former:       sets.List(conditionTypesToRemove),
	}
	return r.SetupWithManager(mgr)
}

// SetupWithManager adds the controller of the registration to mgr.
func (r *Registration) SetupWithManager(mgr manager.Manager) error {
	reconciler, err := r.Reconciler(mgr.GetClient())
	if err != nil {
		return err
	}
	if shoots, ok := reconciler.Targets.(*ShootTargets); ok && r.Targets == nil {
		if err := mgr.Add(shoots); err != nil {
			return fmt.Errorf("adding the clients of shoots of %s: %w", reconciler.Name, err)
		}
	}
	return reconciler.SetupWithManager(mgr)
}
