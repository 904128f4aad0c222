package healthchecktest_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
	"github.com/sickbay-dev/sickbay/healthcheck/healthchecktest"
)

// TestKit plays a roll-out that gets stuck, and one that completes.
func TestKit(t *testing.T) {
	told := 0
	registration := shops()
	registration.OnTransition = func(context.Context, *Shop, healthcheck.Transition) { told++ }
	kit := healthchecktest.New(t, registration, books(), backend(2))
	var said []string
	note := func() {
		c := kit.Condition(books(), "Upgraded")
		said = append(said, kit.Now().Sub(healthchecktest.Start).String()+" "+string(c.Status)+" "+c.Reason)
	}
	note()
	kit.Run()
	note()
	kit.Put(backend(1))
	kit.Run()
	note()
	kit.Advance(9 * time.Minute)
	note()
	kit.Advance(time.Minute)
	note()
	kit.Put(backend(2))
	kit.Advance(5 * time.Minute) // No event, so no look yet.
	note()
	kit.Run()
	note()
	want := []string{
		"0s  ", "0s True Healthy", "0s Progressing RollingOut", "9m0s Progressing RollingOut", "10m0s False DeadlineExceeded",
		"15m0s False DeadlineExceeded", "15m0s True Healthy",
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := len(kit.Transitions()); got != 4 || told != got {
		t.Errorf("there were %d transitions, of which %d were told", got, told)
	}
	writes := kit.Store.Writes()
	kit.Run()
	if kit.Store.Writes() != writes {
		t.Error("what has not changed is written")
	}
	kit.Sound()
}

// TestKitNegative: the kit returns conditions as they would be stored, and checks see them in their
// own polarity.
func TestKitNegative(t *testing.T) {
	var seen []healthcheck.Status
	registration := shops(check(func(_ context.Context, in healthcheck.Input[*Shop]) (healthcheck.Result, error) {
		if in.Current != nil {
			seen = append(seen, in.Current.Status)
		}
		return healthcheck.Result{Status: healthcheck.True, Reason: "Healthy"}, nil
	}))
	registration.New = nil
	registration.Conditions[0].Type, registration.Conditions[0].Negative = "Degraded", true
	kit := healthchecktest.New(t, registration, books(), backend(1))
	kit.Advance(time.Hour)
	if got := kit.Condition(books(), "Degraded"); got.Status != healthcheck.True || got.Reason != healthcheck.ReasonDeadlineExceeded {
		t.Errorf("it is %+v", got)
	}
	seen = nil
	kit.Sound()
	if len(seen) == 0 || slices.Contains(seen, healthcheck.True) {
		t.Errorf("checks saw %v, want False", seen)
	}
}

// TestKitObjects: an object is checked from Put to Delete.
func TestKitObjects(t *testing.T) {
	kit := healthchecktest.New(t, shops())
	kit.Run()
	kit.Put(books())
	kit.Advance(0)
	if got := kit.Condition(books(), "Upgraded"); got.Reason != checks.ReasonNotFound {
		t.Errorf("without a Deployment it is %+v", got)
	}
	kit.Delete(books())
	kit.Run()
	if got := kit.Conditions(books()); len(got) != 0 {
		t.Errorf("one that is gone has %+v", got)
	}
	kit.Put(books())
	kit.Put(backend(2))
	kit.Delete(backend(2))
	kit.Run()
	if got := kit.Condition(books(), "Upgraded"); got.Reason != checks.ReasonNotFound {
		t.Errorf("without its Deployment it is %+v", got)
	}
}

// TestKitTriesAgain: a failed run is retried, and so is a postponed one.
func TestKitTriesAgain(t *testing.T) {
	var at []time.Duration
	registration := shops(check(func(_ context.Context, in healthcheck.Input[*Shop]) (healthcheck.Result, error) {
		at = append(at, in.Now.Sub(healthchecktest.Start))
		if len(at) <= 2 {
			return healthcheck.Result{}, errors.New("broken")
		}
		return healthcheck.Result{Status: healthcheck.True, Reason: "Fine", RecheckAt: in.Now.Add(time.Minute)}, nil
	}))
	kit := healthchecktest.New(t, registration, books(), backend(2))
	kit.Run()
	if kit.Err(books()) == nil || kit.Condition(books(), "Upgraded").Status != healthcheck.Unknown {
		t.Errorf("the error is %v, the condition %+v", kit.Err(books()), kit.Condition(books(), "Upgraded"))
	}
	kit.Advance(2 * time.Minute)
	// Run looks until nothing changes any more.
	want := []time.Duration{0, 0, 30 * time.Second, 90 * time.Second}
	if diff := cmp.Diff(want, at); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if err := kit.Err(books()); err != nil {
		t.Errorf("the error is still %v", err)
	}
}

// TestKitFails: what cannot work makes the test fail.
func TestKitFails(t *testing.T) {
	restless := false
	flips := check(func(ctx context.Context, in healthcheck.Input[*Shop]) (healthcheck.Result, error) {
		if restless = !restless; restless {
			return says("bad")
		}
		return healthy(ctx, in)
	})
	hasty := check(func(_ context.Context, in healthcheck.Input[*Shop]) (healthcheck.Result, error) {
		return healthcheck.Result{Status: healthcheck.True, Reason: "Fine", RecheckAt: in.Now.Add(time.Millisecond)}, nil
	})
	crashes := check(func(ctx context.Context, in healthcheck.Input[*Shop]) (healthcheck.Result, error) {
		_ = *in.Object.Open
		return healthy(ctx, in)
	})
	lost := shops()
	lost.Parent = func(context.Context, *Shop) (client.Object, error) { return nil, errors.New("no parent") }
	away := shops()
	away.Targets = healthcheck.TargetsFunc[*Shop](func(context.Context, *Shop) (client.Reader, error) { return nil, errors.New("no target") })
	nobody := shops()
	nobody.Name = ""
	tests := map[string]struct {
		test func(*recorder)
		want string
	}{
		"restless": {func(r *recorder) { healthchecktest.New(r, shops(flips), books(), backend(2)).Run() }, "the conditions of mall/books did not settle"},
		"hasty":    {func(r *recorder) { healthchecktest.New(r, shops(hasty), books(), backend(2)).Advance(time.Hour) }, "objects were looked at 3000 times each in the first 49m59s; advance less"},
		"unsound":  {func(r *recorder) { healthchecktest.New(r, shops(crashes), books(), backend(2)).Sound() }, "check own of an empty object panics"},
		"parent":   {func(r *recorder) { healthchecktest.New(r, lost, books()).Sound() }, "getting the parent: no parent"},
		"target":   {func(r *recorder) { healthchecktest.New(r, away, books()).Sound() }, "reaching the target: no target"},
		"invalid":  {func(r *recorder) { healthchecktest.New(r, nobody) }, "a registration needs a name"},
		"deleted":  {func(r *recorder) { healthchecktest.New(r, shops()).Delete(books()) }, "deleting *healthchecktest_test.Shop mall/books"},
		"unknown":  {func(r *recorder) { healthchecktest.NewWithScheme(r, shops(), runtime.NewScheme()).Put(books()) }, "putting *healthchecktest_test.Shop mall/books"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			said := caught(tt.test)
			if len(said) != 1 || !strings.Contains(said[0], tt.want) {
				t.Errorf("the test says %q, want %q", said, tt.want)
			}
		})
	}
}

// TestKitMeetsNeeds: checks get the source, target and parent of the registration, if it has them.
func TestKitMeetsNeeds(t *testing.T) {
	elsewhere := fake.NewFakeClient(backend(1))
	find := func(*Shop) *appsv1.Deployment {
		return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "mall", Name: "books"}}
	}
	registration := shops(checks.One("target", checks.Target, find, checks.Deployment), healthcheck.NamedCheck[*Shop]{
		Name: "parent", Needs: healthcheck.NeedsParent,
		Check: healthcheck.CheckFunc[*Shop](func(_ context.Context, in healthcheck.Input[*Shop]) (healthcheck.Result, error) {
			return says(in.Env.Parent.GetName())
		}),
	})
	registration.Source = elsewhere
	registration.Targets = healthcheck.TargetsFunc[*Shop](func(context.Context, *Shop) (client.Reader, error) { return elsewhere, nil })
	registration.Parent = func(context.Context, *Shop) (client.Object, error) { return books(), nil }
	kit := healthchecktest.New(t, registration, books())
	kit.Run()
	if got := kit.Condition(books(), "Upgraded"); got.Message != "books" || kit.Err(books()) != nil {
		t.Errorf("the condition is %+v, the error %v", got, kit.Err(books()))
	}
	kit.Sound()
}

// TestKitUnstructured: unstructured objects have the kind that they name.
func TestKitUnstructured(t *testing.T) {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(backend(2))
	if err != nil {
		t.Fatal(err)
	}
	fields["apiVersion"], fields["kind"] = "apps/v1", "Deployment"
	kit := healthchecktest.New(t, shops(), books(), unstructuredOf(fields))
	kit.Run()
	if got := kit.Condition(books(), "Upgraded"); got.Status != healthcheck.True {
		t.Errorf("the condition is %+v", got)
	}
}
