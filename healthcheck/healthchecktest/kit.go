package healthchecktest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	testingclock "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// TB is the part of testing.TB that this package uses. Ginkgo's GinkgoT has it, too.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Start is the time at which the clock of each Kit starts.
var Start = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// Kit runs a registration on objects in memory. It replaces Store and Progress of the registration. Source reads these
// objects, unless the registration sets another. Targets and Parent stay as they are, so set ones that work in a test.
//
// It behaves like the engine on a cluster whose caches never lag, one object at a time. It is not safe for concurrent use.
type Kit[T client.Object] struct {
	// Client reads and writes all objects. Use it for changes that Put cannot make, such as deleting an object with
	// finalizers.
	Client client.Client
	// Store holds the conditions.
	Store *Store[T]

	t           TB
	clock       *testingclock.FakePassiveClock
	progress    *progress[T]
	reconciler  *healthcheck.Reconciler[T]
	due         map[client.ObjectKey]time.Time
	errs        map[client.ObjectKey]error
	transitions []healthcheck.Transition
}

// New returns a Kit with the given objects: those to check, and those that the checks look at. It knows the kinds of
// Kubernetes and the types of the objects.
func New[T client.Object](t TB, registration healthcheck.Registration[T], objects ...client.Object) *Kit[T] {
	t.Helper()
	known := slices.Clone(objects)
	if empty := healthcheck.New(registration).New; empty != nil {
		known = append(known, empty())
	}
	return NewWithScheme(t, registration, kindsOf(t, known), objects...)
}

// NewWithScheme is New with a scheme, for checks that look at kinds without an object in the test.
func NewWithScheme[T client.Object](t TB, registration healthcheck.Registration[T], scheme *runtime.Scheme, objects ...client.Object) *Kit[T] {
	t.Helper()
	k := &Kit[T]{
		Client: fake.NewClientBuilder().WithScheme(scheme).Build(),
		Store:  &Store[T]{}, t: t, clock: testingclock.NewFakePassiveClock(Start), progress: &progress[T]{},
		due: map[client.ObjectKey]time.Time{}, errs: map[client.ObjectKey]error{},
	}
	k.Store.normalize = metav1Words
	if registration.Store != nil {
		k.Store.normalize = registration.Store.Normalize
	}
	registration.Store, registration.Progress = k.Store, k.progress
	registration.OnTransition = k.record(registration.OnTransition)
	if err := registration.Validate(); err != nil {
		t.Fatalf("the registration cannot be used: %v", err)
	}
	k.reconciler = healthcheck.New(registration)
	k.reconciler.Client, k.reconciler.Clock = k.Client, k.clock
	for _, obj := range objects {
		k.Put(obj)
	}
	return k
}

// record records transitions, and passes them on.
func (k *Kit[T]) record(next func(context.Context, T, healthcheck.Transition)) func(context.Context, T, healthcheck.Transition) {
	return func(ctx context.Context, obj T, transition healthcheck.Transition) {
		k.transitions = append(k.transitions, transition)
		if next != nil {
			next(ctx, obj, transition)
		}
	}
}

// Put creates an object, or replaces all of it. Call Run to check it. An object of the checked kind gets a generation as on
// an API server, which increases when its spec changes. Kinds of the core group have none.
func (k *Kit[T]) Put(obj client.Object) {
	k.t.Helper()
	if err := k.put(context.Background(), copyOf(obj)); err != nil {
		k.t.Fatalf("putting %T %s: %v", obj, client.ObjectKeyFromObject(obj), err)
	}
	if _, ok := obj.(T); ok {
		k.due[client.ObjectKeyFromObject(obj)] = time.Time{}
	}
}

func (k *Kit[T]) put(ctx context.Context, obj client.Object) error {
	current := copyOf(obj)
	err := k.Client.Get(ctx, client.ObjectKeyFromObject(obj), current)
	if apierrors.IsNotFound(err) {
		obj.SetResourceVersion("")
		return errors.Join(k.generate(obj, nil), k.Client.Create(ctx, obj))
	}
	if err != nil {
		return err
	}
	if err := k.generate(obj, current); err != nil {
		return err
	}
	obj.SetResourceVersion(current.GetResourceVersion())
	status := copyOf(obj)
	if err := k.Client.Update(ctx, obj); err != nil {
		return err
	}
	// Update does not change the status if that is a subresource.
	status.SetResourceVersion(obj.GetResourceVersion())
	if err := k.Client.Status().Update(ctx, status); !apierrors.IsNotFound(err) {
		return err
	}
	return nil
}

// Delete deletes an object and its conditions.
func (k *Kit[T]) Delete(obj client.Object) {
	k.t.Helper()
	if err := k.Client.Delete(context.Background(), obj.DeepCopyObject().(client.Object)); err != nil {
		k.t.Fatalf("deleting %T %s: %v", obj, client.ObjectKeyFromObject(obj), err)
	}
	if _, ok := obj.(T); ok {
		key := client.ObjectKeyFromObject(obj)
		// The engine must forget it, too.
		_, _ = k.reconciler.Reconcile(context.Background(), request(key))
		delete(k.due, key)
		delete(k.errs, key)
		k.Store.kept.forget(key)
		k.progress.kept.forget(key)
	}
}

// Now returns the time of the Kit's clock.
func (k *Kit[T]) Now() time.Time { return k.clock.Now() }

// Conditions returns the conditions of an object, in the order of the registration.
func (k *Kit[T]) Conditions(obj T) []healthcheck.Condition { return k.Store.Get(obj) }

// Condition returns one condition of an object; it is empty if there is none.
func (k *Kit[T]) Condition(obj T, conditionType string) healthcheck.Condition {
	for _, c := range k.Conditions(obj) {
		if c.Type == conditionType {
			return c
		}
	}
	return healthcheck.Condition{}
}

// Err returns the error of the last run of an object: which checks could not be carried out.
func (k *Kit[T]) Err(obj T) error { return k.errs[client.ObjectKeyFromObject(obj)] }

// Transitions returns all changes of a condition's status or reason so far.
func (k *Kit[T]) Transitions() []healthcheck.Transition { return slices.Clone(k.transitions) }

// keys returns the keys of the checked objects, sorted.
func (k *Kit[T]) keys() []client.ObjectKey {
	return slices.SortedFunc(maps.Keys(k.due), compare)
}

// request returns what a queue would pass to Reconcile.
func request(key client.ObjectKey) ctrl.Request { return ctrl.Request{NamespacedName: key} }
