package upgradepause

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/events"
	testingclock "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/internal/scaffold"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
	"github.com/sickbay-dev/sickbay/internal/testing/live"
	"github.com/sickbay-dev/sickbay/internal/testing/objects"
	"github.com/sickbay-dev/sickbay/internal/testing/pausing"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// harness is a namespace on the API server, and a Reconciler of one kind with a fake clock and a fake signal.
// The clock begins at noon, and nothing upgrades.
type harness struct {
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

func newHarness(t testing.TB, kind schema.GroupVersionKind) *harness {
	t.Helper()
	e := env.Get(t)
	f := &harness{
		t: t, env: e, ns: e.Namespace(t), clock: testingclock.NewFakePassiveClock(noon), events: events.NewFakeRecorder(1000),
	}
	f.signal = &saying{pause.Reading{Subject: &corev1.ObjectReference{Kind: "Signal", Namespace: f.ns, Name: "fake"}}}
	f.Reconciler = &Reconciler{Kind: kind}
	f.restart(e.Client)
	return f
}

// onEachKind runs a test for each kind of MachineHealthCheck.
func onEachKind(t *testing.T, test func(f *harness)) {
	t.Helper()
	for _, kind := range bothKinds {
		t.Run(kind.Group, func(t *testing.T) {
			t.Parallel()
			test(newHarness(t, kind))
		})
	}
}

// restart makes a new Reconciler, which knows only what is stored, and writes with c.
func (f *harness) restart(c client.Client) {
	f.cache = live.NewLagging(c)
	f.Reconciler = &Reconciler{
		Kind: f.Kind, Signals: []Signal{f.signal}, WatchFilter: f.WatchFilter, WarnAfter: warnAfter, Recorder: f.events, Clock: f.clock,
		reader: reader{f.cache, f.Kind}, writer: writer{Writer: f.cache},
	}
}

// upgrading sets which upgrades the signal reports.
func (f *harness) upgrading(ids ...string) { f.signal.Upgrades = upgrading(ids...) }

// pass lets time pass, and returns the new time.
func (f *harness) pass(d time.Duration) time.Time {
	f.clock.SetTime(f.clock.Now().Add(d))
	return f.clock.Now()
}

// check stores a MachineHealthCheck.
func (f *harness) check(name string, annotations stored) *metav1.PartialObjectMetadata {
	f.t.Helper()
	obj := newCheck(f.Kind, f.ns, name)
	obj.SetAnnotations(annotations)
	if err := f.env.Client.Create(f.t.Context(), obj); err != nil {
		f.t.Fatal(err)
	}
	return read(f.t, f.env.Client, f.Kind, client.ObjectKeyFromObject(obj))
}

// reconcile reconciles a MachineHealthCheck and returns when to do so again.
func (f *harness) reconcile(check *metav1.PartialObjectMetadata) time.Duration {
	f.t.Helper()
	after, err := f.tryReconcile(check)
	if err != nil {
		f.t.Fatal(err)
	}
	return after
}

func (f *harness) tryReconcile(check *metav1.PartialObjectMetadata) (time.Duration, error) {
	f.t.Helper()
	result, err := f.Reconcile(f.t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(check)})
	return result.RequeueAfter, err
}

// freeze makes the Reconciler see the current state of a MachineHealthCheck from now on.
func (f *harness) freeze(check *metav1.PartialObjectMetadata) {
	f.t.Helper()
	f.cache.Freeze()
	read(f.t, f.cache, f.Kind, client.ObjectKeyFromObject(check))
}

var bothKinds = []schema.GroupVersionKind{ClusterAPIKind, OpenShiftKind}

// newCheck returns a MachineHealthCheck of either kind.
func newCheck(kind schema.GroupVersionKind, namespace, name string) client.Object {
	if kind == ClusterAPIKind {
		return build.MachineHealthCheck(namespace, name)
	}
	check := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{
		"selector":            map[string]any{"matchLabels": map[string]any{"machine.openshift.io/cluster-api-machine-role": "worker"}},
		"unhealthyConditions": []any{map[string]any{"type": "Ready", "status": "Unknown", "timeout": "5m0s"}},
	}}}
	check.SetGroupVersionKind(kind)
	check.SetNamespace(namespace)
	check.SetName(name)
	return check
}

// read returns the current state of a MachineHealthCheck of either kind, read with c.
func read(t testing.TB, c client.Reader, kind schema.GroupVersionKind, key client.ObjectKey) *metav1.PartialObjectMetadata {
	t.Helper()
	check := scaffold.MetadataOf(kind)
	if err := c.Get(t.Context(), key, check); err != nil {
		t.Fatal(err)
	}
	return check
}

// change changes the metadata as a person does.
func (f *harness) change(check *metav1.PartialObjectMetadata, apply func(*metav1.PartialObjectMetadata)) {
	f.t.Helper()
	now := read(f.t, f.env.Client, f.Kind, client.ObjectKeyFromObject(check))
	before := now.DeepCopy()
	apply(now)
	if err := f.env.Client.Patch(f.t.Context(), now, client.MergeFrom(before)); err != nil {
		f.t.Fatal(err)
	}
}

func (f *harness) remove(check *metav1.PartialObjectMetadata) {
	f.t.Helper()
	objects.Delete(f.t, f.env.Client, check.DeepCopy())
}

func (f *harness) unannotate(check *metav1.PartialObjectMetadata, keys ...string) {
	f.t.Helper()
	f.change(check, func(m *metav1.PartialObjectMetadata) { m.Annotations = stored(m.Annotations).But(keys...) })
}

// wantStored asserts all annotations of a MachineHealthCheck.
func (f *harness) wantStored(check *metav1.PartialObjectMetadata, want stored) {
	f.t.Helper()
	got := stored(read(f.t, f.env.Client, f.Kind, client.ObjectKeyFromObject(check)).Annotations)
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		f.t.Errorf("annotations of %s (-want +got):\n%s", check.Name, diff)
	}
}

// wantEvents asserts the beginnings of the events since the last call.
func (f *harness) wantEvents(want ...string) {
	f.t.Helper()
	got := expect.Events(f.events)
	for i := range got {
		if i < len(want) && strings.HasPrefix(got[i], want[i]) {
			got[i] = want[i]
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		f.t.Errorf("events (-want +got):\n%s", diff)
	}
}

// wantRest asserts that nothing is written or reported while nothing changes.
func (f *harness) wantRest(check *metav1.PartialObjectMetadata) {
	f.t.Helper()
	before := read(f.t, f.env.Client, f.Kind, client.ObjectKeyFromObject(check)).ResourceVersion
	for range 3 {
		f.pass(time.Minute)
		f.reconcile(check)
	}
	if after := read(f.t, f.env.Client, f.Kind, client.ObjectKeyFromObject(check)).ResourceVersion; after != before {
		f.t.Errorf("%s was written though nothing had changed", check.Name)
	}
	f.wantEvents()
}

// meddling returns a client that does something before each patch.
func (f *harness) meddling(meddle func()) client.Client {
	f.t.Helper()
	return f.env.Intercept(f.t, interceptor.Funcs{
		Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
			meddle()
			return c.Patch(ctx, obj, patch, opts...)
		},
	})
}

// Short names, which the tests of package pause also use.
const (
	keyPaused  = pausing.KeyPaused
	keyMarker  = pausing.KeyMarker
	keyHandled = pausing.KeyHandled
	keySince   = pausing.KeySince
	keyOption  = pausing.KeyOption

	warnAfter    = pausing.WarnAfter
	settleWithin = pausing.SettleWithin
)

type stored = pausing.Stored

var (
	noon, one                   = pausing.Noon, pausing.One
	at, ours, settling, resumed = pausing.At, pausing.Ours, pausing.Settling, pausing.Resumed
	workers                     = pausing.Workers
)

func upgrading(ids ...string) []pause.Upgrade {
	var upgrades []pause.Upgrade
	for _, id := range ids {
		upgrades = append(upgrades, pause.Upgrade{ID: id, Text: fmt.Sprintf("Upgrade %s goes on", id)})
	}
	return upgrades
}
