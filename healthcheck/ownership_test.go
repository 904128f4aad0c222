package healthcheck_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// stale is a cache that has seen nothing since it read one Widget.
type stale struct {
	client.Reader

	seen *Widget
}

// Get implements client.Reader.
func (s stale) Get(_ context.Context, _ client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	*obj.(*Widget) = *s.seen.DeepCopyObject().(*Widget)
	return nil
}

func TestForeignConditionsAreLeftAlone(t *testing.T) {
	f := newHarness(t, result(healthcheck.True, "Fine", ""))
	f.writeForeign(t, foreign("Foreign"))
	f.reconcile(t)
	f.result = result(healthcheck.False, "Broken", "")
	f.reconcile(t)
	if diff := cmp.Diff([]string{"Foreign", "Healthy"}, types(f.stored(t))); diff != "" {
		t.Errorf("conditions after writing (-want +got):\n%s", diff)
	}
	f.applicability = healthcheck.DoesNotApply
	f.reconcile(t)
	if diff := cmp.Diff([]metav1.Condition{foreign("Foreign")}, f.stored(t).Status.Conditions); diff != "" {
		t.Errorf("conditions after removal (-want +got):\n%s", diff)
	}
}

// TestRemoval: a condition is removed even if another writer owns a part of it.
func TestRemoval(t *testing.T) {
	f := newHarness(t, result(healthcheck.True, "Fine", ""))
	f.reconcile(t)
	widget := f.stored(t)
	widget.Status.Conditions[0].Message = "meddled"
	if err := f.env.Client.Status().Update(t.Context(), widget, client.FieldOwner("somebody-else")); err != nil {
		t.Fatal(err)
	}
	f.applicability = healthcheck.DoesNotApply
	f.reconcile(t)
	if got := f.stored(t); len(got.Status.Conditions) != 0 {
		t.Errorf("conditions are %+v, want none", got.Status.Conditions)
	}
	for _, entry := range f.stored(t).ManagedFields {
		if entry.Manager == fieldOwner {
			t.Errorf("we still own %s", entry.FieldsV1.GetRawString())
		}
	}
	if last := f.transitions[len(f.transitions)-1]; last.From.Type != "Healthy" || last.To.Status != "" {
		t.Errorf("the last transition is %+v, want the removal", last)
	}
	version := f.stored(t).ResourceVersion
	f.reconcile(t)
	if got := f.stored(t).ResourceVersion; got != version {
		t.Errorf("resourceVersion went from %s to %s, want nothing more to remove", version, got)
	}
}

func TestLeaveAlone(t *testing.T) {
	f := newHarness(t, result(healthcheck.True, "Fine", ""))
	f.reconcile(t)
	version := f.stored(t).ResourceVersion
	f.result, f.applicability = result(healthcheck.False, "Broken", ""), healthcheck.LeaveAlone
	f.reconcile(t)
	if got := f.stored(t).ResourceVersion; got != version {
		t.Errorf("resourceVersion went from %s to %s, want no write", version, got)
	}
}

// TestReplacedObject: another object takes the name of the judged one.
func TestReplacedObject(t *testing.T) {
	f := newHarness(t, result(healthcheck.False, "Broken", ""))
	f.Client = stale{f.env.Client, f.stored(t)}
	if err := f.env.Client.Delete(t.Context(), f.widget); err != nil {
		t.Fatal(err)
	}
	another := &Widget{ObjectMeta: metav1.ObjectMeta{Namespace: f.widget.Namespace, Name: f.widget.Name}}
	if err := f.env.Client.Create(t.Context(), another); err != nil {
		t.Fatal(err)
	}
	if got := f.reconcile(t).RequeueAfter; got != time.Second {
		t.Errorf("requeued after %s, want a second", got)
	}
	if got := types(f.stored(t)); len(got) != 0 {
		t.Errorf("conditions are %v, want none: this is another object", got)
	}
}

func types(widget *Widget) []string {
	var list []string
	for _, c := range widget.Status.Conditions {
		list = append(list, c.Type)
	}
	slices.Sort(list)
	return list
}
