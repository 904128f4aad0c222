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
	for _, alone := range []bool{false, true} {
		nodes := rationed(t)
		get := func(ctx context.Context, node *corev1.Node) error {
			return nodes.Get(ctx, client.ObjectKey{Name: "n"}, node)
		}
		c := &Clusters{Cache: &fleet{how: map[client.ObjectKey]*connection{cluster: {get: get}}}, Clock: clock.RealClock{}, Waiting: 1}
		if _, err := c.GetLive(t.Context(), cluster, "n"); err != nil {
			t.Fatalf("the first request is let through: %v", err)
		}
		by := path{cluster: cluster, live: true}
		if !alone {
			// Another caller waits patiently.
			patient, _ := c.lines.enter(by, false, c.Waiting, c.Clock.Now())
			defer c.lines.leave(patient, false, c.Clock.Now())
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		_, err := c.GetLive(ctx, cluster, "n")
		if _, unreadable := Unreadable(err); !unreadable || !errors.Is(err, ErrBusy) {
			t.Errorf("alone %t: got %v, want ErrBusy", alone, err)
		}
		if since, failing := c.failing.Load(by); failing {
			t.Errorf("alone %t: it counts as failing since %v", alone, since)
		}
		if until, hangs := c.hanging.Load(by); hangs {
			t.Errorf("alone %t: it counts as hanging until %v", alone, until)
		}
		if readable, _ := c.readable.Load(cluster); readable != true {
			t.Errorf("alone %t: it counts as unreadable", alone)
		}
	}
}

// TestPanicLeavesTheLine: a read panics, and its caller recovers. All places are free again.
func TestPanicLeavesTheLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cluster := client.ObjectKey{Name: "strange"}
		how := &connection{get: func(context.Context, *corev1.Node) error { panic("strange") }}
		f := &fleet{how: map[client.ObjectKey]*connection{cluster: how}}
		c := &Clusters{Cache: f, Clock: clock.RealClock{}, Waiting: 1}
		for _, hung := range []bool{false, true} {
			by := path{cluster: cluster, live: true}
			if hung {
				c.hanging.Store(by, time.Now().Add(-time.Second))
			}
			func() {
				defer func() { _ = recover() }()
				_, err := c.GetLive(t.Context(), cluster, "n")
				t.Errorf("hung %t: it did not panic: %v", hung, err)
			}()
			if at := c.lines.of[by]; at.taken || c.lines.waiting != 0 || c.lines.probing != 0 {
				t.Errorf("hung %t: %+v, and %d and %d wait", hung, at, c.lines.waiting, c.lines.probing)
			}
		}
		f.set(cluster, after(time.Second))
		if _, err := c.GetLive(t.Context(), cluster, "n"); err != nil {
			t.Errorf("it answers within a second, and is not waited for: %v", err)
		}
	})
}
