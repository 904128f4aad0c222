package gardener_test

import (
	"context"
	"testing"

	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck/gardener"
)

// Objects of class seed have no Cluster, even if others of the registration do.
func TestClassSeed(t *testing.T) {
	f := newHarness(t, passes())
	if err := f.env.Client.Delete(t.Context(), &extensionsv1alpha1.Cluster{ObjectMeta: clusterMeta(f)}); err != nil {
		t.Fatal(err)
	}
	f.recreate(t, extensionsv1alpha1.ExtensionClassSeed)
	f.ExtensionClasses = []extensionsv1alpha1.ExtensionClass{extensionsv1alpha1.ExtensionClassShoot, extensionsv1alpha1.ExtensionClassSeed}
	asked := false
	f.HealthChecks[0].PreCheckFunc = func(_ context.Context, _ client.Client, obj client.Object, parent any) bool {
		asked = true
		return parent == nil && obj.GetName() == f.worker.Name
	}
	f.mustReconcile(t)
	if got := f.condition(t, everyNodeReady).Status; got != statusTrue || !asked {
		t.Errorf("it is %s, asked: %t", got, asked)
	}
}

// Objects of class garden belong to the only Garden, which only pre-checks use.
func TestClassGarden(t *testing.T) {
	f := newHarness(t, passes(), fails("bad"))
	f.recreate(t, extensionsv1alpha1.ExtensionClassGarden)
	f.ExtensionClasses = []extensionsv1alpha1.ExtensionClass{extensionsv1alpha1.ExtensionClassGarden}
	f.mustReconcile(t)
	if got := f.condition(t, everyNodeReady).Message; got != "bad." {
		t.Errorf("it says %s", got)
	}
	f.HealthChecks[0].PreCheckFunc = func(context.Context, client.Client, client.Object, any) bool { return true }
	f.mustReconcile(t)
	if got := f.condition(t, everyNodeReady); got.Status != statusUnknown {
		t.Errorf("without a Garden it is %s: %s", got.Status, got.Message)
	}
}

// A pre-check that returns false counts as a pass; with BestRules the check is left out.
func TestPreCheck(t *testing.T) {
	no := gardener.PreCheckOfCluster(func(_ context.Context, c client.Client, obj client.Object, cluster *gardener.Cluster) bool {
		if c == nil || obj.GetName() != "worker" || cluster.ObjectMeta.Name != obj.GetNamespace() || cluster.Shoot.Name != "blue" ||
			cluster.Seed == nil || cluster.CloudProfile == nil {
			t.Errorf("it was asked about %s in %+v", obj.GetName(), cluster)
		}
		obj.SetName("changed")
		return false
	})
	f := newHarness(t, &forbidden{t: t}, passes())
	f.HealthChecks[0].PreCheckFunc, f.Texts = no, gardener.TextsOfTheSeed
	f.mustReconcile(t)
	if got := f.condition(t, everyNodeReady).Message; got != "(2/2) Health checks successful" {
		t.Errorf("it says %s", got)
	}
	f.Rules = gardener.BestRules
	f.mustReconcile(t)
	if got := f.condition(t, everyNodeReady).Message; got != "(1/1) Health checks successful" {
		t.Errorf("by the best rules it says %s", got)
	}
	f.HealthChecks = f.HealthChecks[:1]
	f.mustReconcile(t)
	if conditions := f.conditions(t); len(conditions) > 0 {
		t.Errorf("of a condition with no check %+v is left", conditions)
	}
}
