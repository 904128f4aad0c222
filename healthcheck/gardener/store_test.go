package gardener_test

import (
	"testing"
	"time"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/gardener"
)

// foreign returns a condition that is not ours.
func foreign(conditionType string) gardencorev1beta1.Condition {
	return gardencorev1beta1.Condition{
		Type: gardencorev1beta1.ConditionType(conditionType), Status: statusFalse, Reason: "Foreign", Message: "foreign",
		Codes: []gardencorev1beta1.ErrorCode{quota}, LastTransitionTime: ago(time.Hour), LastUpdateTime: ago(time.Minute),
	}
}

func utc(conditions []gardencorev1beta1.Condition) []gardencorev1beta1.Condition {
	for i := range conditions {
		c := &conditions[i]
		c.LastTransitionTime.Time, c.LastUpdateTime.Time = c.LastTransitionTime.UTC(), c.LastUpdateTime.UTC()
	}
	return conditions
}

// lastUpdateTime changes with reason, message and codes, lastTransitionTime with status.
func TestTimes(t *testing.T) {
	old := gardencorev1beta1.Condition{
		Type: gardencorev1beta1.ShootEveryNodeReady, Status: statusFalse, Reason: gardener.ReasonUnsuccessful, Message: "bad.",
		Codes: []gardencorev1beta1.ErrorCode{quota}, LastTransitionTime: ago(time.Hour), LastUpdateTime: ago(time.Minute),
	}
	rows := map[string]struct {
		old                  gardencorev1beta1.Condition
		check                gardener.HealthCheck
		transitioned, update time.Duration
	}{
		"the same":      {old, fails("bad", quota), time.Hour, time.Minute},
		"other message": {old, fails("worse", quota), time.Hour, 0},
		"other codes":   {old, fails("bad", unauth), time.Hour, 0},
		"other status":  {old, passes(), 0, 0},
		"none before":   {foreign("Other"), passes(), 0, 0},
		"other status alone": {
			gardencorev1beta1.Condition{
				Type: gardencorev1beta1.ShootEveryNodeReady, Status: statusUnknown, Reason: gardener.ReasonUnsuccessful, Message: "bad.",
				LastTransitionTime: ago(time.Hour), LastUpdateTime: ago(time.Minute),
			}, fails("bad"), 0, time.Minute,
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newHarness(t, row.check)
			f.store(t, row.old)
			f.mustReconcile(t)
			got := utc([]gardencorev1beta1.Condition{f.condition(t, everyNodeReady)})[0]
			if !got.LastTransitionTime.Equal(new(ago(row.transitioned))) || !got.LastUpdateTime.Equal(new(ago(row.update))) {
				t.Errorf("times are %s and %s", got.LastTransitionTime, got.LastUpdateTime)
			}
		})
	}
}

// The conditions of others stay where and as they are, and unchanged ones are not written.
func TestForeignConditionsStay(t *testing.T) {
	f := newHarness(t, passes())
	mine := gardencorev1beta1.Condition{
		Type: gardencorev1beta1.ShootEveryNodeReady, Status: statusTrue, Reason: gardener.ReasonSuccessful, Message: "All health checks successful",
		LastTransitionTime: ago(0), LastUpdateTime: ago(0),
	}
	old := mine
	old.Status, old.LastTransitionTime, old.Message = statusFalse, ago(time.Hour), "old"
	f.store(t, foreign("A"), old, foreign("B"))
	f.mustReconcile(t)
	if diff := cmp.Diff([]gardencorev1beta1.Condition{foreign("A"), mine, foreign("B")}, utc(f.conditions(t))); diff != "" {
		t.Error(diff)
	}
	version := f.worker.ResourceVersion
	f.clock.SetTime(now.Add(time.Hour))
	f.mustReconcile(t)
	if f.conditions(t); f.worker.ResourceVersion != version {
		t.Error("it was written although nothing changed")
	}
}

// Former types are removed, wherever they are in the list; registered ones stay even if
// Former names them.
func TestFormerConditionsGo(t *testing.T) {
	f := newHarness(t, passes())
	f.Former = []gardencorev1beta1.ConditionType{"A", "C", gardencorev1beta1.ShootEveryNodeReady}
	f.store(t, foreign("A"), foreign("B"), foreign("C"), foreign("D"))
	f.mustReconcile(t)
	var types []string
	for _, c := range f.conditions(t) {
		types = append(types, string(c.Type))
	}
	if diff := cmp.Diff([]string{"B", "D", everyNodeReady}, types); diff != "" {
		t.Error(diff)
	}
}

// Unstructured objects work as well.
func TestUnstructured(t *testing.T) {
	f := newHarness(t, fails("bad", quota))
	f.New = func() client.Object {
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(workerKind)
		return u
	}
	f.Former = []gardencorev1beta1.ConditionType{"A"}
	f.mustReconcile(t)
	f.store(t, append([]gardencorev1beta1.Condition{foreign("A")}, f.conditions(t)...)...)
	f.HealthChecks[0].HealthCheck = passes()
	f.mustReconcile(t)
	want := verdict{statusTrue, gardener.ReasonSuccessful, "All health checks successful", nil}
	if conditions := f.conditions(t); len(conditions) != 1 || !cmp.Equal(want, verdictOf(conditions[0])) {
		t.Errorf("conditions are %+v", conditions)
	}
}

// A verdict about an object that has changed meanwhile is not written.
func TestConflict(t *testing.T) {
	f := newHarness(t)
	store := gardener.Store[*extensionsv1alpha1.Worker]{Client: f.env.Client, FieldOwner: "test"}
	condition := []healthcheck.Condition{{Type: everyNodeReady, Status: healthcheck.True}}
	f.conditions(t)
	for range 2 {
		stale := f.worker.DeepCopy()
		f.worker.Labels = map[string]string{"changed": stale.ResourceVersion}
		if err := f.env.Client.Update(t.Context(), f.worker); err != nil {
			t.Fatal(err)
		}
		if err := store.Apply(t.Context(), stale, condition); !apierrors.IsConflict(err) {
			t.Errorf("a conflict is %v", err)
		}
		// The first apply finds no conditions, and the second finds some.
		if err := store.Apply(t.Context(), f.worker, condition); err != nil {
			t.Fatal(err)
		}
		condition[0].Message = "other"
	}
	if c := f.condition(t, everyNodeReady); c.Reason != "Unspecified" || c.Message != "other" {
		t.Errorf("condition is %+v", c)
	}
}
