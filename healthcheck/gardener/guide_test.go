package gardener_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	resourcesv1alpha1 "github.com/gardener/gardener/pkg/apis/resources/v1alpha1"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
	"github.com/sickbay-dev/sickbay/healthcheck/gardener"
	"github.com/sickbay-dev/sickbay/healthcheck/gardener/general"
	"github.com/sickbay-dev/sickbay/healthcheck/gardener/worker"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
)

// The code in docs/library-gardener.md comes from here.

// addWorkers registers the checks of Workers with the current function.
func addWorkers(mgr manager.Manager, opts gardener.DefaultAddArgs) error {
	return gardener.DefaultRegistration(
		"aws",
		extensionsv1alpha1.SchemeGroupVersion.WithKind(extensionsv1alpha1.WorkerResource),
		func() client.ObjectList { return &extensionsv1alpha1.WorkerList{} },
		func() extensionsv1alpha1.Object { return &extensionsv1alpha1.Worker{} },
		mgr, opts, nil,
		[]gardener.ConditionTypeToHealthCheck{
			{ConditionType: string(gardencorev1beta1.ShootSystemComponentsHealthy), HealthCheck: general.CheckManagedResource("extension-worker-mcm-shoot")},
			{ConditionType: string(gardencorev1beta1.ShootEveryNodeReady), HealthCheck: general.NewSeedDeploymentHealthChecker("machine-controller-manager")},
			{ConditionType: string(gardencorev1beta1.ShootEveryNodeReady), HealthCheck: worker.NewNodesChecker()},
		},
		nil,
	)
}

// atOnce makes events of checked objects lead to a check at once, and uses BestRules.
func atOnce(c client.Client) gardener.DefaultAddArgs {
	opts := gardener.DefaultAddArgs{
		HealthCheckConfig: gardener.HealthCheckConfig{SyncPeriod: metav1.Duration{Duration: time.Minute}},
		Rules:             gardener.BestRules,
	}
	opts.Watches = []healthcheck.Watch{
		{Object: &appsv1.Deployment{}, Map: workersBeside(c), Predicates: []predicate.Predicate{checks.VerdictChanged(checks.Deployment)}},
		{Object: &resourcesv1alpha1.ManagedResource{}, Map: workersBeside(c)},
	}
	return opts
}

// addAll is called by the main function of an extension.
func addAll(mgr manager.Manager) error {
	if err := addWorkers(mgr, atOnce(mgr.GetClient())); err != nil {
		return err
	}
	return gardener.AddHeartbeat(mgr, "provider-aws", "extension-provider-aws")
}

// workersBeside maps an object to the Workers in its namespace.
func workersBeside(c client.Client) handler.MapFunc {
	return func(ctx context.Context, obj client.Object) []ctrl.Request {
		var workers extensionsv1alpha1.WorkerList
		if err := c.List(ctx, &workers, client.InNamespace(obj.GetNamespace())); err != nil {
			return nil // the next periodic check makes up for it
		}
		var requests []ctrl.Request
		for i := range workers.Items {
			requests = append(requests, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(&workers.Items[i])})
		}
		return requests
	}
}

// volumes is a custom check that the storage drivers of a shoot exist.
type volumes struct{ source client.Client }

func (v *volumes) InjectSourceClient(c client.Client) { v.source = c }
func (v *volumes) SetLoggerSuffix(string, string)     {}
func (v *volumes) DeepCopy() gardener.HealthCheck     { made := *v; return &made }

func (v *volumes) Check(ctx context.Context, worker types.NamespacedName) (*gardener.SingleCheckResult, error) {
	var drivers appsv1.DeploymentList
	if err := v.source.List(ctx, &drivers, client.InNamespace(worker.Namespace), client.MatchingLabels{"role": "csi"}); err != nil {
		return nil, fmt.Errorf("listing the drivers: %w", err)
	}
	if len(drivers.Items) > 0 {
		return &gardener.SingleCheckResult{Status: gardencorev1beta1.ConditionTrue}, nil
	}
	rollout := 5 * time.Minute
	return &gardener.SingleCheckResult{
		Status: gardencorev1beta1.ConditionProgressing, Detail: "There is no driver yet",
		ProgressingThreshold: &rollout,
	}, nil
}

// buckets registers the checks of a custom kind: one of Gardener's checks and one of Sickbay's.
func buckets(c client.Client) healthcheck.Registration[*extensionsv1alpha1.BackupBucket] {
	type bucket = *extensionsv1alpha1.BackupBucket
	mirror := func(b bucket) *appsv1.Deployment {
		return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: b.Name + "-mirror"}}
	}
	return healthcheck.Registration[bucket]{
		Name: "buckets", New: func() bucket { return &extensionsv1alpha1.BackupBucket{} },
		Store: gardener.Store[bucket]{Client: c, FieldOwner: "buckets"},
		Conditions: []healthcheck.ConditionChecks[bucket]{
			healthcheck.NewCondition("Mirrored",
				checks.One("mirror", checks.Source, mirror, checks.DeploymentRolledOut),
				gardener.Adapt[bucket]("volumes", &volumes{}),
			),
		},
	}
}

// TestGuide runs the code of the page: the current registration with watches and BestRules.
func TestGuide(t *testing.T) {
	g := NewWithT(t)
	f := newHarness(t)
	f.env.Manager(t, env.ManagerOptions{Namespaces: []string{f.worker.Namespace}, Setup: addAll})
	g.Eventually(func() map[string]verdict { return f.verdicts(t) }, patience).Should(HaveKeyWithValue("EveryNodeReady", HaveField("Status", statusFalse)))
	healthy(t, f)
	// The period is a minute, so anything sooner comes from an event.
	g.Eventually(func() map[string]verdict { return f.verdicts(t) }, patience).Should(Equal(map[string]verdict{
		"SystemComponentsHealthy": {statusTrue, "HealthCheckSuccessful", "All health checks successful", nil},
		"EveryNodeReady":          {statusTrue, "HealthCheckSuccessful", "All health checks successful", nil},
	}))
}

// TestGuideOfBuckets: the registration on the page is valid.
func TestGuideOfBuckets(t *testing.T) {
	r := buckets(env.Get(t).Client)
	if err := r.Validate(); err != nil {
		t.Fatal(err)
	}
}
