package workload

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// rationed returns a client with a rate limit of one request in a hundred seconds. Its server always answers at once.
func rationed(t *testing.T) client.Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}}`))
	}))
	t.Cleanup(server.Close)
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(corev1.SchemeGroupVersion.WithKind("Node"), meta.RESTScopeRoot)
	c, err := client.New(&rest.Config{Host: server.URL, QPS: 0.01, Burst: 1}, client.Options{Mapper: mapper})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestOwnRateLimitIsNoAnswer: client-go rejects a request that its rate limiter would delay past the caller's deadline. That says nothing
// about the cluster, however much time the caller had.
func TestOwnRateLimitIsNoAnswer(t *testing.T) {
	cluster := client.ObjectKey{Name: "busy"}
	for _, waiting := range []int{0, 1} {
		nodes := rationed(t)
		get := func(ctx context.Context, node *corev1.Node) error {
			return nodes.Get(ctx, client.ObjectKey{Name: "n"}, node)
		}
		c := &Clusters{Cache: &fleet{how: map[client.ObjectKey]*connection{cluster: {get: get}}}, Clock: clock.RealClock{}, Waiting: waiting}
		if _, err := c.GetLive(t.Context(), cluster, "n"); err != nil {
			t.Fatalf("the first request is let through: %v", err)
		}
		known := *c.lines.of[path{cluster: cluster, live: true}]
		for range 2 {
			_, err := c.GetLive(t.Context(), cluster, "n")
			if _, unreadable := Unreadable(err); !unreadable || !errors.Is(err, ErrBusy) {
				t.Errorf("%d may wait: got %v, want ErrBusy", waiting, err)
			}
		}
		if since, failing := c.failingSince(cluster); failing {
			t.Errorf("%d may wait: it counts as failing since %v", waiting, since)
		}
		if got := *c.lines.of[path{cluster: cluster, live: true}]; got != known {
			t.Errorf("%d may wait: of the cluster is known %v, before %v", waiting, got, known)
		}
		if readable, _ := c.readable.Load(cluster); readable != true {
			t.Errorf("%d may wait: it counts as unreadable", waiting)
		}
	}
}

// TestCallerWhoGoesAwayIsNoAnswer: a person closes a page that waits for a cluster. That says nothing about the cluster.
func TestCallerWhoGoesAwayIsNoAnswer(t *testing.T) {
	ctx, goAway := context.WithCancel(t.Context())
	cluster, hung := client.ObjectKey{Name: "hung"}, time.Now().Add(-time.Second)
	get := func(ctx context.Context, _ *corev1.Node) error {
		goAway()
		<-ctx.Done()
		return ctx.Err()
	}
	c := &Clusters{Cache: &fleet{how: map[client.ObjectKey]*connection{cluster: {get: get}}}, Clock: clock.RealClock{}, Waiting: 1}
	known := line{hangs: hung}
	c.lines.of = map[path]*line{{cluster: cluster, live: true}: &known}
	_, err := c.GetLive(ctx, cluster, "n")
	if _, unreadable := Unreadable(err); !unreadable || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if known != (line{hangs: hung}) {
		t.Errorf("of the cluster is known %v", known)
	}
	if since, failing := c.failingSince(cluster); failing || c.Unread(cluster) {
		t.Errorf("it counts as failing since %v", since)
	}
}

// TestPanicLeavesTheLine: reads panic, and their caller recovers. The next read has a turn, also if it is one that waits or one that tries.
func TestPanicLeavesTheLine(t *testing.T) {
	for name, before := range map[string]line{
		"a quick one": {}, "a slow one": {took: time.Second}, "one that hung": {hangs: time.Now().Add(-time.Second)},
	} {
		cluster := client.ObjectKey{Name: "strange"}
		f := &fleet{how: map[client.ObjectKey]*connection{cluster: {get: func(context.Context, *corev1.Node) error { panic("strange") }}}}
		c := &Clusters{Cache: f, Clock: clock.RealClock{}, Waiting: 1}
		for range 2 {
			c.lines.of = map[path]*line{{cluster: cluster, live: true}: &before}
			func() {
				defer func() { _ = recover() }()
				_, err := c.GetLive(t.Context(), cluster, "n")
				t.Errorf("%s: it did not panic: %v", name, err)
			}()
			before.took = time.Second
		}
		f.set(cluster, answers(nil))
		if _, err := c.GetLive(t.Context(), cluster, "n"); err != nil {
			t.Errorf("%s: it answers, and is not read: %v", name, err)
		}
	}
}

// TestPanicInATrialIsNoCrash: nobody recovers from a panic in the background but the trial itself, and the next read has a turn.
func TestPanicInATrialIsNoCrash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cluster := client.ObjectKey{Name: "strange"}
		f := &fleet{how: map[client.ObjectKey]*connection{cluster: {get: func(ctx context.Context, _ *corev1.Node) error {
			if end, _ := ctx.Deadline(); time.Until(end) > quick {
				panic("strange")
			}
			<-ctx.Done()
			return ctx.Err()
		}}}}
		c := &Clusters{Cache: f, Clock: clock.RealClock{}, Waiting: 1}
		if _, err := c.GetLive(t.Context(), cluster, "n"); !errors.Is(err, ErrBusy) {
			t.Errorf("the first read: %v, want ErrBusy", err)
		}
		synctest.Wait()
		f.set(cluster, answers(nil))
		if _, err := c.GetLive(t.Context(), cluster, "n"); err != nil {
			t.Errorf("it answers, and is not read: %v", err)
		}
	})
}

// TestOneClusterLeavesPlacesToOthers: callers of a cluster that is slow come back all the time, and yet one of another cluster finds a place.
func TestOneClusterLeavesPlacesToOthers(t *testing.T) {
	now := time.Now()
	slow, far := path{cluster: client.ObjectKey{Name: "slow"}, live: true}, path{cluster: client.ObjectKey{Name: "far"}}
	for most := 2; most <= 5; most++ {
		l := lines{of: map[path]*line{slow: {took: 2 * time.Second}, far: {took: 60 * time.Millisecond}}}
		for range 100 {
			_, _ = l.enter(slow, most, now)
		}
		if _, err := l.enter(far, most, now); err != nil {
			t.Errorf("%d may wait, and all are of one cluster: %v", most, err)
		}
	}
}
