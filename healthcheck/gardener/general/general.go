// Package general has the checks of Gardener's package of the same name, for objects in the
// namespace of the extension object. Names and verdicts are those of Gardener; the rules,
// and the words for what is wrong with an object, are those of package checks.
//
// Checks with Shoot in their name look at the cluster of the shoot, in the namespace with
// the same name as that of the extension object.
package general

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/sickbay-dev/sickbay/healthcheck/checks"
	"github.com/sickbay-dev/sickbay/healthcheck/gardener"
)

// CheckSeedDeployment is the first name of NewSeedDeploymentHealthChecker.
func CheckSeedDeployment(name string) gardener.HealthCheck {
	return NewSeedDeploymentHealthChecker(name)
}

// NewSeedDeploymentHealthChecker checks a Deployment in the seed.
func NewSeedDeploymentHealthChecker(name string) gardener.HealthCheck {
	return &seed[*appsv1.Deployment]{deployment(name)}
}

// NewShootDeploymentHealthChecker checks a Deployment in the shoot.
func NewShootDeploymentHealthChecker(name string) gardener.HealthCheck {
	return &shoot[*appsv1.Deployment]{deployment(name)}
}

func deployment(name string) checker[*appsv1.Deployment] {
	return checker[*appsv1.Deployment]{
		kind: "deployment", name: name, rule: checks.Deployment,
		empty: func() *appsv1.Deployment { return &appsv1.Deployment{} },
	}
}

// CheckSeedDaemonSet is the first name of NewSeedDaemonSetHealthChecker.
func CheckSeedDaemonSet(name string) gardener.HealthCheck { return NewSeedDaemonSetHealthChecker(name) }

// NewSeedDaemonSetHealthChecker checks a DaemonSet in the seed.
func NewSeedDaemonSetHealthChecker(name string) gardener.HealthCheck {
	return &seed[*appsv1.DaemonSet]{daemonSet(name)}
}

// NewShootDaemonSetHealthChecker checks a DaemonSet in the shoot.
func NewShootDaemonSetHealthChecker(name string) gardener.HealthCheck {
	return &shoot[*appsv1.DaemonSet]{daemonSet(name)}
}

func daemonSet(name string) checker[*appsv1.DaemonSet] {
	return checker[*appsv1.DaemonSet]{
		kind: "daemonSet", missing: "DaemonSet", name: name, rule: checks.DaemonSet,
		empty: func() *appsv1.DaemonSet { return &appsv1.DaemonSet{} },
	}
}

// CheckSeedStatefulSet is the first name of NewSeedStatefulSetChecker.
func CheckSeedStatefulSet(name string) gardener.HealthCheck { return NewSeedStatefulSetChecker(name) }

// NewSeedStatefulSetChecker checks a StatefulSet in the seed.
func NewSeedStatefulSetChecker(name string) gardener.HealthCheck {
	return &seed[*appsv1.StatefulSet]{statefulSet(name)}
}

// NewShootStatefulSetChecker checks a StatefulSet in the shoot.
func NewShootStatefulSetChecker(name string) gardener.HealthCheck {
	return &shoot[*appsv1.StatefulSet]{statefulSet(name)}
}

func statefulSet(name string) checker[*appsv1.StatefulSet] {
	return checker[*appsv1.StatefulSet]{
		kind: "statefulSet", missing: "StatefulSet", name: name, rule: checks.StatefulSet,
		empty: func() *appsv1.StatefulSet { return &appsv1.StatefulSet{} },
	}
}

// CheckManagedResource checks a ManagedResource in the seed.
func CheckManagedResource(name string) gardener.HealthCheck {
	return &seed[*unstructured.Unstructured]{checker[*unstructured.Unstructured]{
		kind: "managed resource", missing: "Managed Resource", name: name, rule: checks.ManagedResource,
		empty: func() *unstructured.Unstructured {
			u := &unstructured.Unstructured{}
			u.SetGroupVersionKind(schema.GroupVersionKind{Group: "resources.gardener.cloud", Version: "v1alpha1", Kind: "ManagedResource"})
			return u
		},
	}}
}
