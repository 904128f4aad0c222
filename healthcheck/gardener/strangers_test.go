package gardener_test

import (
	"context"
	"testing"
	"time"

	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/gardener"
)

// An object of another type or class can come into the queue: from a watch whose owner is identified only by its kind,
// or with the name of a deleted object that was waiting for a retry. It must not be checked.
func TestObjectsOfOthers(t *testing.T) {
	for name, wanted := range map[string]gardener.Registration{
		"type":  {Type: "gcp"},
		"class": {Type: "aws", DefaultAddArgs: gardener.DefaultAddArgs{ExtensionClasses: []extensionsv1alpha1.ExtensionClass{extensionsv1alpha1.ExtensionClassSeed}}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newHarness(t, passes())
			f.Type, f.ExtensionClasses = wanted.Type, wanted.ExtensionClasses
			f.store(t, foreign("Former"))
			f.Former = append(f.Former, "Former")
			if again := f.mustReconcile(t).RequeueAfter; again != 0 {
				t.Errorf("it is looked at again after %s", again)
			}
			if got := f.conditions(t); len(got) != 1 || got[0].Type != "Former" {
				t.Errorf("it has %+v, want what it had", got)
			}
		})
	}
}

// The list of conditions has no keys: indexes of an old list must not be used to write into a new one, not even if a
// clock starts in the same run.
func TestOldListWithClock(t *testing.T) {
	f := newHarness(t, progresses(time.Minute, "rolling"))
	f.Rules = gardener.BestRules
	f.store(t, foreign(everyNodeReady))
	cache := &behind{f.env.Client, f.worker.DeepCopy()}
	f.store(t, foreign("Foreign"), foreign(everyNodeReady))
	reconciler, err := f.Reconciler(cache)
	if err != nil {
		t.Fatal(err)
	}
	reconciler.Progress = healthcheck.AnnotationProgress[client.Object]{Client: cache, Name: reconciler.Name}
	again, err := reconciler.Reconcile(t.Context(), f.request())
	if err != nil || again.RequeueAfter != time.Second {
		t.Errorf("it is looked at again after %s, error %v, want a second", again.RequeueAfter, err)
	}
	if got := f.conditions(t); len(got) != 2 || got[0].Type != "Foreign" {
		t.Errorf("it has %+v, want both kept", got)
	}
	cache.seen = nil
	if _, err := reconciler.Reconcile(t.Context(), f.request()); err != nil {
		t.Fatal(err)
	}
	if got := f.conditions(t); len(got) != 2 || got[0].Type != "Foreign" || got[1].Status != statusProgressing {
		t.Errorf("it has %+v", got)
	}
}

// behind is a client whose cache has an old version of a Worker.
type behind struct {
	client.Client

	seen *extensionsv1alpha1.Worker
}

func (b *behind) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	worker, ok := obj.(*extensionsv1alpha1.Worker)
	if !ok || b.seen == nil {
		return b.Client.Get(ctx, key, obj, opts...)
	}
	b.seen.DeepCopyInto(worker)
	return nil
}

// If the list type of a kind is unknown, its objects could not be checked when their shoot wakes up. That must be an
// error.
func TestNoList(t *testing.T) {
	f := newHarness(t, passes())
	if _, err := f.Reconciler(without{f.env.Client}); err == nil {
		t.Error("a kind without a list is no error")
	}
}

// without is a client that knows no kinds.
type without struct{ client.Client }

func (without) Scheme() *runtime.Scheme { return runtime.NewScheme() }
