package upgradepause

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/events"
	testingclock "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/live"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// fixture is a namespace on the API server, and a Reconciler of one kind with a fake clock and a fake signal.
// The clock begins at noon, and nothing upgrades.
type fixture struct {
	*Reconciler
	t      testing.TB
	env    *env.Env
	ns     string
	signal *saying
	clock  *testingclock.FakePassiveClock
	events *events.FakeRecorder
	// cache is what the Reconciler reads; it lags behind when a test freezes it.
	cache *live.Lagging
}

// saying is a signal that reports what a test wants.
type saying struct{ pause.Reading }

func (s *saying) Read(context.Context, *metav1.PartialObjectMetadata) []pause.Reading {
	return []pause.Reading{s.Reading}
}

func newFixture(t testing.TB, kind schema.GroupVersionKind) *fixture {
	t.Helper()
	e := env.Get(t)
	f := &fixture{
		t: t, env: e, ns: e.Namespace(t), clock: testingclock.NewFakePassiveClock(noon), events: events.NewFakeRecorder(1000),
	}
	f.signal = &saying{pause.Reading{Subject: &corev1.ObjectReference{Kind: "Signal", Namespace: f.ns, Name: "fake"}}}
	f.Reconciler = &Reconciler{Kind: kind}
	f.restart(e.Client)
	return f
}

// onEachKind runs a test for each kind of MachineHealthCheck.
func onEachKind(t *testing.T, test func(f *fixture)) {
	t.Helper()
	for _, kind := range bothKinds {
		t.Run(kind.Group, func(t *testing.T) {
			t.Parallel()
			test(newFixture(t, kind))
		})
	}
}

// restart makes a new Reconciler, which knows only what is stored, and writes with c.
func (f *fixture) restart(c client.Client) {
	f.cache = live.NewLagging(c)
	f.Reconciler = &Reconciler{
		Kind: f.Kind, Client: f.cache, Signals: []Signal{f.signal}, WatchFilter: f.WatchFilter,
		WarnAfter: warnAfter, Recorder: f.events, Clock: f.clock,
	}
}

// upgrading sets which upgrades the signal reports.
func (f *fixture) upgrading(ids ...string) { f.signal.Upgrades = upgrading(ids...) }

// pass lets time pass, and returns the new time.
func (f *fixture) pass(d time.Duration) time.Time {
	f.clock.SetTime(f.clock.Now().Add(d))
	return f.clock.Now()
}

// check stores a MachineHealthCheck.
func (f *fixture) check(name string, annotations stored) *metav1.PartialObjectMetadata {
	f.t.Helper()
	obj := newCheck(f.Kind, f.ns, name)
	obj.SetAnnotations(annotations)
	if err := f.env.Client.Create(f.t.Context(), obj); err != nil {
		f.t.Fatal(err)
	}
	return read(f.t, f.env.Client, f.Kind, client.ObjectKeyFromObject(obj))
}

// reconcile reconciles a MachineHealthCheck and returns when to do so again.
func (f *fixture) reconcile(check *metav1.PartialObjectMetadata) time.Duration {
	f.t.Helper()
	after, err := f.tryReconcile(check)
	if err != nil {
		f.t.Fatal(err)
	}
	return after
}

func (f *fixture) tryReconcile(check *metav1.PartialObjectMetadata) (time.Duration, error) {
	f.t.Helper()
	result, err := f.Reconcile(f.t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(check)})
	return result.RequeueAfter, err
}

// freeze makes the Reconciler see the current state of a MachineHealthCheck from now on.
func (f *fixture) freeze(check *metav1.PartialObjectMetadata) {
	f.t.Helper()
	f.cache.Freeze()
	read(f.t, f.cache, f.Kind, client.ObjectKeyFromObject(check))
}
