package upgradepause_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/app"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/upgradepause"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

const (
	howMany    = 500
	namespaces = 20
)

// BenchmarkPause500 measures the time from the start of an upgrade in the ClusterVersion until the last of
// 500 MachineHealthChecks in 20 namespaces is paused, and the requests for that. It uses the real manager,
// once with its defaults, and once with a request limit that it does not reach: by default the last 300 wait
// for three seconds.
func BenchmarkPause500(b *testing.B) {
	capi, openshift := upgradepause.ClusterAPIKind, upgradepause.OpenShiftKind
	defaults := app.DefaultOptions()
	for _, bb := range []struct {
		name  string
		kinds []schema.GroupVersionKind
		qps   float32
	}{
		{"one-kind", []schema.GroupVersionKind{capi}, defaults.KubeAPIQPS},
		{"both-kinds", []schema.GroupVersionKind{capi, openshift}, defaults.KubeAPIQPS},
		{"both-kinds-unlimited", []schema.GroupVersionKind{capi, openshift}, 10_000},
	} {
		b.Run(bb.name, func(b *testing.B) {
			f := newField(b, bb.kinds, bb.qps)
			var took time.Duration
			var calls tally
			b.ResetTimer()
			for range b.N {
				once, counted := f.upgrade(b)
				took += once
				calls.add(counted)
			}
			n := float64(b.N)
			b.ReportMetric(float64(took.Milliseconds())/n, "ms-until-paused")
			for _, what := range []string{"patch", "event", "list", "watch", "other"} {
				b.ReportMetric(float64(calls.of(what))/n, what+"-calls")
			}
			b.ReportMetric(0, "ns/op") // most of the time is preparation
		})
	}
}

// field has the MachineHealthChecks of the benchmark, and watches them.
type field struct {
	env     *env.Env
	kinds   []schema.GroupVersionKind
	qps     float32
	version *configv1.ClusterVersion
	marks   *marks
}

func newField(b *testing.B, kinds []schema.GroupVersionKind, qps float32) *field {
	b.Helper()
	e := env.Get(b)
	f := &field{env: e, kinds: kinds, qps: qps, version: &configv1.ClusterVersion{
		ObjectMeta: metav1.ObjectMeta{Name: "version"},
		Spec:       configv1.ClusterVersionSpec{ClusterID: "7e8b6a1c-0000-4000-8000-000000000000"},
	}}
	for i := range namespaces {
		ns := e.Namespace(b)
		for j := range howMany / namespaces {
			create(b, e.Client, newOf(kinds[(i+j)%len(kinds)], ns, fmt.Sprintf("mhc-%d", j)))
		}
	}
	create(b, e.Client, f.version)
	b.Cleanup(func() { f.clear(b) })
	f.marks = watchMarks(b, e, kinds)
	return f
}

// clear cleans up for the next benchmark.
func (f *field) clear(b *testing.B) {
	b.Helper()
	objs := []client.Object{f.version}
	for _, kind := range f.kinds {
		var list metav1.PartialObjectMetadataList
		list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
		if err := f.env.Client.List(context.Background(), &list); err != nil {
			b.Error(err)
		}
		for i := range list.Items {
			list.Items[i].SetGroupVersionKind(kind)
			objs = append(objs, &list.Items[i])
		}
	}
	for _, obj := range objs {
		if err := f.env.Client.Delete(context.Background(), obj); err != nil {
			b.Error(err)
		}
	}
}

// upgrade begins an upgrade under a manager that is idle, and ends it. Each upgrade has its own manager, so
// that its rate limiter has its full burst, as after hours of quiet.
func (f *field) upgrade(b *testing.B) (time.Duration, tally) {
	b.Helper()
	f.say(b, configv1.ConditionFalse)
	calls := &counter{}
	stop := f.run(b, calls)
	f.awaitRest(b)
	calls.take()
	began := time.Now()
	f.say(b, configv1.ConditionTrue)
	f.marks.await(b, howMany)
	took := f.marks.lastAt().Sub(began)
	counted := calls.take()
	f.say(b, configv1.ConditionFalse)
	f.marks.await(b, 0)
	stop()
	return took, counted
}

// say writes whether an upgrade is in progress.
func (f *field) say(b *testing.B, progressing configv1.ConditionStatus) {
	b.Helper()
	now := metav1.Now()
	f.version.Status = configv1.ClusterVersionStatus{
		Desired: configv1.Release{Version: "4.17.3", Image: "release"}, VersionHash: "hash",
		History: []configv1.UpdateHistory{{State: configv1.PartialUpdate, Version: "4.17.3", Image: "release", StartedTime: now}},
		Conditions: []configv1.ClusterOperatorStatusCondition{
			{Type: configv1.OperatorProgressing, Status: progressing, LastTransitionTime: now},
		},
	}
	if err := f.env.Client.Status().Update(b.Context(), f.version); err != nil {
		b.Fatal(err)
	}
}

// run starts the manager, and counts its requests.
func (f *field) run(b *testing.B, calls *counter) (stop func()) {
	b.Helper()
	options := app.DefaultOptions()
	options.Controllers = []string{upgradepause.ControllerName}
	options.HealthProbeBindAddress, options.MetricsBindAddress = "0", "0"
	options.KubeAPIQPS, options.SkipNameValidation = f.qps, true
	cfg := rest.CopyConfig(f.env.Config)
	cfg.Wrap(calls.wrap)
	ctx, cancel := context.WithCancel(context.Background())
	a, err := app.New(ctx, cfg, options)
	if err != nil {
		cancel()
		b.Fatal(err)
	}
	stopped := make(chan error, 1)
	go func() { stopped <- a.Run(ctx) }()
	return func() {
		cancel()
		if err := <-stopped; err != nil {
			b.Errorf("running the manager: %v", err)
		}
	}
}

// awaitRest waits until the controllers have looked at all objects: each removes a marker without a pause as
// soon as it knows that nothing upgrades.
func (f *field) awaitRest(b *testing.B) {
	b.Helper()
	ns := f.env.Namespace(b)
	for _, kind := range f.kinds {
		left := newOf(kind, ns, "left")
		left.SetAnnotations(map[string]string{pause.MarkerAnnotation: ""})
		create(b, f.env.Client, left)
		f.marks.awaitSeen(b, client.ObjectKeyFromObject(left))
		f.marks.await(b, 0)
		if err := f.env.Client.Delete(b.Context(), left); err != nil {
			b.Fatal(err)
		}
	}
}

func create(b *testing.B, c client.Client, obj client.Object) {
	b.Helper()
	if err := c.Create(b.Context(), obj); err != nil {
		b.Fatal(err)
	}
}

// newOf returns a MachineHealthCheck of a kind.
func newOf(kind schema.GroupVersionKind, namespace, name string) client.Object {
	if kind == upgradepause.ClusterAPIKind {
		return build.MachineHealthCheck(namespace, name)
	}
	check := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{
		"selector":            map[string]any{},
		"unhealthyConditions": []any{map[string]any{"type": "Ready", "status": "Unknown", "timeout": "5m0s"}},
	}}}
	check.SetGroupVersionKind(kind)
	check.SetNamespace(namespace)
	check.SetName(name)
	return check
}

// tally counts requests by what they do.
type tally map[string]int

func (t tally) of(what string) int { return t[what] }

func (t *tally) add(more tally) {
	if *t == nil {
		*t = tally{}
	}
	for what, n := range more {
		(*t)[what] += n
	}
}

// counter counts the requests that pass through it.
type counter struct {
	mu    sync.Mutex
	tally tally
}

// take returns the requests since the last call.
func (c *counter) take() tally {
	c.mu.Lock()
	defer c.mu.Unlock()
	tally := c.tally
	c.tally = nil
	return tally
}

func (c *counter) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(req *http.Request) (*http.Response, error) {
		c.mu.Lock()
		c.tally.add(tally{verbOf(req): 1})
		c.mu.Unlock()
		return next.RoundTrip(req)
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (r roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return r(req) }

// verbOf distinguishes writes of MachineHealthChecks from writes of events.
func verbOf(req *http.Request) string {
	switch {
	case strings.HasSuffix(req.URL.Path, "/events"), strings.Contains(req.URL.Path, "/events/"):
		return "event"
	case req.Method == http.MethodPatch:
		return "patch"
	case req.Method == http.MethodGet && req.URL.Query().Get("watch") != "":
		return "watch"
	case req.Method == http.MethodGet:
		return "list"
	}
	return "other"
}

// marks knows which MachineHealthChecks are marked as paused, from a watch.
type marks struct {
	changed chan struct{}

	mu     sync.Mutex
	marked map[types.UID]bool
	seen   map[client.ObjectKey]bool
	last   time.Time
}

func watchMarks(b *testing.B, e *env.Env, kinds []schema.GroupVersionKind) *marks {
	b.Helper()
	m := &marks{changed: make(chan struct{}, 1), marked: map[types.UID]bool{}, seen: map[client.ObjectKey]bool{}}
	c, err := client.NewWithWatch(e.Config, client.Options{Scheme: e.Scheme})
	if err != nil {
		b.Fatal(err)
	}
	for _, kind := range kinds {
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
		w, err := c.Watch(context.Background(), list)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(w.Stop)
		go m.follow(w)
	}
	return m
}

func (m *marks) follow(w watch.Interface) {
	for event := range w.ResultChan() {
		if check, ok := event.Object.(*metav1.PartialObjectMetadata); ok {
			m.note(check, event.Type)
		}
	}
}

func (m *marks) note(check *metav1.PartialObjectMetadata, what watch.EventType) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.marked, check.UID)
	if _, ok := check.Annotations[pause.MarkerAnnotation]; ok && what != watch.Deleted {
		m.marked[check.UID] = true
	}
	m.seen[client.ObjectKeyFromObject(check)], m.last = true, time.Now()
	select {
	case m.changed <- struct{}{}:
	default:
	}
}

// await waits until that many MachineHealthChecks are marked.
func (m *marks) await(b *testing.B, want int) {
	b.Helper()
	m.until(b, func() bool { return len(m.marked) == want })
}

// awaitSeen waits until the watch has seen an object.
func (m *marks) awaitSeen(b *testing.B, key client.ObjectKey) {
	b.Helper()
	m.until(b, func() bool { return m.seen[key] })
}

func (m *marks) until(b *testing.B, done func() bool) {
	b.Helper()
	for {
		m.mu.Lock()
		ok := done()
		m.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-m.changed:
		case <-time.After(time.Minute):
			b.Fatal("nothing changes any more")
		}
	}
}

// lastAt returns when the last change was seen.
func (m *marks) lastAt() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.last
}
