package gardener_test

import (
	"context"
	"testing"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	v1beta1constants "github.com/gardener/gardener/pkg/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck/gardener"
)

// hibernate changes the Cluster of a harness.
func (f *harness) hibernate(t *testing.T, hibernated bool) {
	t.Helper()
	cluster := &extensionsv1alpha1.Cluster{}
	if err := f.env.Client.Get(t.Context(), client.ObjectKey{Name: f.worker.Namespace}, cluster); err != nil {
		t.Fatal(err)
	}
	cluster.Spec = clusterSpec(t, hibernated)
	if err := f.env.Client.Update(t.Context(), cluster); err != nil {
		t.Fatal(err)
	}
}

// forbidden is a check that must not run.
type forbidden struct {
	scripted

	t *testing.T
}

func (f *forbidden) Check(context.Context, types.NamespacedName) (*gardener.SingleCheckResult, error) {
	f.t.Error("it was checked")
	return &gardener.SingleCheckResult{Status: statusFalse}, nil
}

func (f *forbidden) DeepCopy() gardener.HealthCheck { c := *f; return &c }

func TestHibernated(t *testing.T) {
	for _, texts := range []gardener.Texts{gardener.TextsOfToday, gardener.TextsOfTheSeed} {
		f := newHarness(t, fails("bad"))
		f.Texts = texts
		f.mustReconcile(t)
		f.hibernate(t, true)
		awake := f.HealthChecks[0].HealthCheck
		f.HealthChecks[0].HealthCheck = &forbidden{t: t}
		f.mustReconcile(t)
		want := verdict{statusTrue, gardener.ReasonSuccessful, "Shoot is hibernated", nil}
		if diff := cmp.Diff(want, verdictOf(f.condition(t, everyNodeReady))); diff != "" {
			t.Error(diff)
		}
		f.hibernate(t, false)
		f.HealthChecks[0].HealthCheck = awake
		f.mustReconcile(t)
		if got := f.condition(t, everyNodeReady).Status; got != statusFalse {
			t.Errorf("it woke up %s", got)
		}
	}
}

// Nothing is changed while an object is being deleted or migrated, not even former
// conditions.
func TestLeftAlone(t *testing.T) {
	rows := map[string]func(*testing.T, *harness){
		"deleted": func(t *testing.T, f *harness) {
			t.Helper()
			f.worker.Finalizers = []string{"test.sickbay.dev/stays"}
			if err := f.env.Client.Update(t.Context(), f.worker); err != nil {
				t.Fatal(err)
			}
			if err := f.env.Client.Delete(t.Context(), f.worker); err != nil {
				t.Fatal(err)
			}
		},
		"asked to migrate": func(t *testing.T, f *harness) {
			t.Helper()
			f.worker.Annotations = map[string]string{v1beta1constants.GardenerOperation: v1beta1constants.GardenerOperationMigrate}
			if err := f.env.Client.Update(t.Context(), f.worker); err != nil {
				t.Fatal(err)
			}
		},
		"migrating": func(t *testing.T, f *harness) {
			t.Helper()
			f.worker.Status.LastOperation = &gardencorev1beta1.LastOperation{
				Type: gardencorev1beta1.LastOperationTypeMigrate, State: gardencorev1beta1.LastOperationStateProcessing, LastUpdateTime: ago(0),
			}
			if err := f.env.Client.Status().Update(t.Context(), f.worker); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, leave := range rows {
		t.Run(name, func(t *testing.T) {
			f := newHarness(t, &forbidden{t: t})
			f.Former = []gardencorev1beta1.ConditionType{"A"}
			f.store(t, foreign("A"), foreign(everyNodeReady))
			leave(t, f)
			f.mustReconcile(t)
			if diff := cmp.Diff([]gardencorev1beta1.Condition{foreign("A"), foreign(everyNodeReady)}, utc(f.conditions(t))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// If it is unknown whether a shoot is hibernated, the conditions are left alone too, and
// that is an error.
func TestNoCluster(t *testing.T) {
	f := newHarness(t, &forbidden{t: t})
	if err := f.env.Client.Delete(t.Context(), &extensionsv1alpha1.Cluster{ObjectMeta: clusterMeta(f)}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.reconcile(t); err == nil {
		t.Error("a missing Cluster is no error")
	}
	if conditions := f.conditions(t); len(conditions) > 0 {
		t.Errorf("conditions are %+v", conditions)
	}
}
