package healthcheck_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// TestRemovalDoesNotStarve: even if an object changes in each run, conditions that do not apply are removed.
func TestRemovalDoesNotStarve(t *testing.T) {
	f := newHarness(t, result(healthcheck.True, "Fine", ""))
	f.writeForeign(t, foreign("Foreign"))
	f.reconcile(t)
	f.Conditions[0].Prechecks = []healthcheck.Precheck[*Widget]{func(ctx context.Context, _ healthcheck.Input[*Widget]) (healthcheck.Applicability, error) {
		widget := &Widget{}
		if err := f.env.Client.Get(ctx, client.ObjectKeyFromObject(f.widget), widget); err != nil {
			return 0, err
		}
		widget.Spec.Size++
		return healthcheck.DoesNotApply, f.env.Client.Update(ctx, widget)
	}}
	f.reconcile(t)
	if diff := cmp.Diff([]metav1.Condition{foreign("Foreign")}, f.stored(t).Status.Conditions); diff != "" {
		t.Errorf("conditions after a change (-want +got):\n%s", diff)
	}
}

// TestRemovalMeetsWhatWasSeen: a condition that has moved or changed is not removed, because it may belong to
// another writer.
func TestRemovalMeetsWhatWasSeen(t *testing.T) {
	for name, change := range map[string]func(w *Widget){
		"it has moved": func(w *Widget) {
			w.Status.Conditions = append([]metav1.Condition{foreign("Foreign")}, w.Status.Conditions...)
		},
		"it says something else":  func(w *Widget) { w.Status.Conditions[0].Message = "meddled" },
		"it has another status":   func(w *Widget) { w.Status.Conditions[0].Status = metav1.ConditionUnknown },
		"it is there no more":     func(w *Widget) { w.Status.Conditions = nil },
		"another is in its place": func(w *Widget) { w.Status.Conditions = []metav1.Condition{foreign("Foreign")} },
	} {
		t.Run(name, func(t *testing.T) {
			f := newHarness(t, result(healthcheck.False, "Broken", "disk is full"))
			f.reconcile(t)
			seen := f.stored(t)
			changed := f.stored(t)
			change(changed)
			if err := f.env.Client.Status().Update(t.Context(), changed, client.FieldOwner("somebody-else")); err != nil {
				t.Fatal(err)
			}
			f.applicability, f.Client = healthcheck.DoesNotApply, stale{f.env.Client, seen}
			if got := f.reconcile(t).RequeueAfter; got != time.Second {
				t.Errorf("requeued after %s, want a second", got)
			}
			if diff := cmp.Diff(changed.Status.Conditions, f.stored(t).Status.Conditions); diff != "" {
				t.Errorf("conditions (-before +after):\n%s", diff)
			}
			f.Client = f.env.Client
			f.reconcile(t)
			if got := types(f.stored(t)); len(got) > 1 || (len(got) == 1 && got[0] != "Foreign") {
				t.Errorf("conditions are %v at the second try", got)
			}
		})
	}
}

// TestRemovalOfSeveral removes each from its place.
func TestRemovalOfSeveral(t *testing.T) {
	f := newRootHarness(t)
	f.writeForeign(t, foreign("Foreign"))
	f.reconcile(t)
	store := f.Store
	if err := store.Remove(t.Context(), f.harness.stored(t), []string{"Ready", "Healthy", "Degraded", "Stored", "Unknown"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Foreign"}, types(f.harness.stored(t))); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
}
