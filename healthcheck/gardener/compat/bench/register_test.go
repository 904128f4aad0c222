package bench

import (
	"context"
	"time"

	theirs "github.com/gardener/gardener/extensions/pkg/controller/healthcheck"
	"github.com/gardener/gardener/extensions/pkg/controller/healthcheck/general"
	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	resourcesv1alpha1 "github.com/gardener/gardener/pkg/apis/resources/v1alpha1"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
	"github.com/sickbay-dev/sickbay/healthcheck/gardener"
)

// The names of the libraries.
const (
	original = "original"
	ours     = "Sickbay"
)

// period is the sync period of both, as in Gardener's extensions.
const period = 30 * time.Second

// controllerOptions are those of Gardener's extensions.
var controllerOptions = controller.Options{MaxConcurrentReconciles: 5}

const (
	extensionType = "bench"
	// conditionType is the condition of all three checks.
	conditionType = gardencorev1beta1.ShootEveryNodeReady

	deployment      = "machine-controller-manager"
	statefulSet     = "machine-store"
	managedResource = "extension-worker-mcm-shoot"
)

var (
	workerKind = extensionsv1alpha1.SchemeGroupVersion.WithKind(extensionsv1alpha1.WorkerResource)
	newWorker  = func() extensionsv1alpha1.Object { return &extensionsv1alpha1.Worker{} }
	newWorkers = func() client.ObjectList { return &extensionsv1alpha1.WorkerList{} }
)

// registrations maps a library to the function that adds it to a manager.
var registrations = map[string]func(manager.Manager) error{original: registerOriginal, ours: registerOurs}

func registerOriginal(mgr manager.Manager) error {
	opts := theirs.DefaultAddArgs{Controller: controllerOptions}
	opts.HealthCheckConfig.SyncPeriod = metav1.Duration{Duration: period}
	registered := func(check theirs.HealthCheck) theirs.ConditionTypeToHealthCheck {
		return theirs.ConditionTypeToHealthCheck{ConditionType: string(conditionType), HealthCheck: check}
	}
	return theirs.DefaultRegistration(extensionType, workerKind, newWorkers, newWorker, mgr, opts, nil, []theirs.ConditionTypeToHealthCheck{
		registered(general.NewSeedDeploymentHealthChecker(deployment)),
		registered(general.NewSeedStatefulSetChecker(statefulSet)),
		registered(general.CheckManagedResource(managedResource)),
	}, nil)
}

// registerOurs uses the checks of Gardener unchanged, and watches what they read.
func registerOurs(mgr manager.Manager) error {
	opts := gardener.DefaultAddArgs{Controller: controllerOptions, Watches: []healthcheck.Watch{
		{Object: &appsv1.Deployment{}, Map: ofNamespace, Predicates: []predicate.Predicate{checks.VerdictChanged(checks.Deployment)}},
		{Object: &appsv1.StatefulSet{}, Map: ofNamespace, Predicates: []predicate.Predicate{checks.VerdictChanged(checks.StatefulSet)}},
		{Object: &resourcesv1alpha1.ManagedResource{}, Map: ofNamespace},
	}}
	opts.HealthCheckConfig.SyncPeriod = metav1.Duration{Duration: period}
	registered := func(check gardener.HealthCheck) gardener.ConditionTypeToHealthCheck {
		return gardener.ConditionTypeToHealthCheck{ConditionType: string(conditionType), HealthCheck: check}
	}
	return gardener.DefaultRegistration(extensionType, workerKind, newWorkers, newWorker, mgr, opts, nil, []gardener.ConditionTypeToHealthCheck{
		registered(gardener.Of(func() theirs.HealthCheck { return general.NewSeedDeploymentHealthChecker(deployment) })),
		registered(gardener.Of(func() theirs.HealthCheck { return general.NewSeedStatefulSetChecker(statefulSet) })),
		registered(gardener.Of(func() theirs.HealthCheck { return general.CheckManagedResource(managedResource) })),
	}, nil)
}

// ofNamespace maps a watch to the Worker of its shoot, which has the same name.
func ofNamespace(_ context.Context, obj client.Object) []reconcile.Request {
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: obj.GetNamespace(), Name: obj.GetNamespace()}}}
}
