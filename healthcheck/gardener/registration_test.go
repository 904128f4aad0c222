package gardener_test

import (
	"context"
	"testing"
	"time"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/gardener"
	"github.com/sickbay-dev/sickbay/healthcheck/gardener/general"
	"github.com/sickbay-dev/sickbay/healthcheck/gardener/worker"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
)

// patience is far longer than an event takes.
const patience = 30 * time.Second

// self makes the cluster of the Worker the shoot, too.
func self(c client.Client) healthcheck.Targets[client.Object] {
	return healthcheck.TargetsFunc[client.Object](func(context.Context, client.Object) (client.Reader, error) { return c, nil })
}

// The names in the example of the seed.
var aws = struct{ Type, MachineControllerManagerName string }{"aws", "machine-controller-manager"}

const mcmShootResourceName = "extension-worker-mcm-shoot"

// addFirstExample registers the example of Gardener's first documentation.
func addFirstExample(mgr manager.Manager, opts gardener.DefaultAddArgs) error {
	return gardener.DefaultRegisterExtensionForHealthCheck(
		aws.Type,
		extensionsv1alpha1.SchemeGroupVersion.WithKind(extensionsv1alpha1.WorkerResource),
		func() runtime.Object { return &extensionsv1alpha1.Worker{} },
		mgr,  // controller runtime manager
		opts, // options for the health check controller
		nil,  // custom predicates
		map[gardener.HealthCheck]string{
			general.CheckManagedResource(mcmShootResourceName):            string(gardencorev1beta1.ShootSystemComponentsHealthy),
			general.CheckSeedDeployment(aws.MachineControllerManagerName): string(gardencorev1beta1.ShootEveryNodeReady),
			worker.SufficientNodesAvailable():                             string(gardencorev1beta1.ShootEveryNodeReady),
		})
}

// The conditions are those in the seed.
func TestExampleOfTheSeed(t *testing.T) {
	g := NewWithT(t)
	f := newHarness(t)
	healthy(t, f)
	f.env.Manager(t, env.ManagerOptions{Setup: func(mgr ctrl.Manager) error {
		return addFirstExample(mgr, gardener.DefaultAddArgs{Targets: self(mgr.GetClient())})
	}})
	g.Eventually(func() map[string]verdict { return f.verdicts(t) }, patience).Should(Equal(map[string]verdict{
		"SystemComponentsHealthy": {statusTrue, "HealthCheckSuccessful", "(1/1) Health checks successful", nil},
		"EveryNodeReady":          {statusTrue, "HealthCheckSuccessful", "(2/2) Health checks successful", nil},
	}))
}

func (f *harness) verdicts(t *testing.T) map[string]verdict {
	t.Helper()
	verdicts := map[string]verdict{}
	for _, c := range f.conditions(t) {
		verdicts[string(c.Type)] = verdictOf(c)
	}
	return verdicts
}

// The current registration handles only objects of its type and class, removes former
// conditions, and shows at once that a shoot hibernates.
func TestDefaultRegistration(t *testing.T) {
	g := NewWithT(t)
	f, other := newHarness(t), newHarness(t)
	f.store(t, foreign("Former"))
	other.recreate(t, extensionsv1alpha1.ExtensionClassSeed)
	namespaces := []string{f.worker.Namespace, other.worker.Namespace}
	f.env.Manager(t, env.ManagerOptions{Namespaces: namespaces, Setup: func(mgr ctrl.Manager) error {
		return gardener.DefaultRegistration(
			"aws", workerKind,
			func() client.ObjectList { return &extensionsv1alpha1.WorkerList{} },
			func() extensionsv1alpha1.Object { return &extensionsv1alpha1.Worker{} },
			mgr, gardener.DefaultAddArgs{HealthCheckConfig: gardener.HealthCheckConfig{SyncPeriod: metav1.Duration{Duration: time.Hour}}},
			nil,
			[]gardener.ConditionTypeToHealthCheck{{ConditionType: everyNodeReady, HealthCheck: general.NewSeedDeploymentHealthChecker("mcm")}},
			sets.New[gardencorev1beta1.ConditionType]("Former"),
		)
	}})
	missing := verdict{statusFalse, "HealthCheckUnsuccessful", `deployment "mcm" in namespace "` + f.worker.Namespace + `" not found.`, nil}
	g.Eventually(func() map[string]verdict { return f.verdicts(t) }, patience).Should(Equal(map[string]verdict{everyNodeReady: missing}))
	f.hibernate(t, true)
	asleep := verdict{statusTrue, "HealthCheckSuccessful", "Shoot is hibernated", nil}
	g.Eventually(func() map[string]verdict { return f.verdicts(t) }, patience).Should(Equal(map[string]verdict{everyNodeReady: asleep}))
	f.hibernate(t, false)
	g.Eventually(func() map[string]verdict { return f.verdicts(t) }, patience).Should(Equal(map[string]verdict{everyNodeReady: missing}))
	if got := other.conditions(t); len(got) > 0 {
		t.Errorf("an object of another class has %+v", got)
	}
}

// An invalid registration returns an error at once.
func TestValidate(t *testing.T) {
	good := func() *gardener.Registration {
		return &gardener.Registration{
			Type: "aws", Kind: workerKind, New: func() client.Object { return &extensionsv1alpha1.Worker{} },
			HealthChecks: []gardener.ConditionTypeToHealthCheck{{ConditionType: everyNodeReady, HealthCheck: passes()}},
		}
	}
	if err := good().Validate(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*gardener.Registration){
		"no type":           func(r *gardener.Registration) { r.Type = "" },
		"no kind":           func(r *gardener.Registration) { r.Kind = schema.GroupVersionKind{} },
		"no object":         func(r *gardener.Registration) { r.New = nil },
		"no extension":      func(r *gardener.Registration) { r.New = func() client.Object { return &corev1.Pod{} } },
		"a shared check":    func(r *gardener.Registration) { r.HealthChecks[0].HealthCheck = &shared{} },
		"a copy of a part":  func(r *gardener.Registration) { r.HealthChecks[0].HealthCheck = &embedding{} },
		"no check":          func(r *gardener.Registration) { r.HealthChecks[0].HealthCheck = nil },
		"a negative period": func(r *gardener.Registration) { r.HealthCheckConfig.SyncPeriod.Duration = -1 },
	} {
		r := good()
		spoil(r)
		if err := r.Validate(); err == nil {
			t.Errorf("%s is no error", name)
		}
	}
}

// shared is no copy of itself, and the DeepCopy of embedding is that of a part.
type (
	shared    struct{ todays }
	embedding struct{ todays }
)

func (s *shared) DeepCopy() gardener.HealthCheck { return s }
