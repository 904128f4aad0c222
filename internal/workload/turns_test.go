package workload

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
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
		who := callers{most, &waiting{}}
		for range 100 {
			_, _ = l.enter(slow, who, now)
		}
		if _, err := l.enter(far, who, now); err != nil {
			t.Errorf("%d may wait, and all are of one cluster: %v", most, err)
		}
	}
}

// TestControllersWaitApart: the workers of one controller that wait for a cluster take no place of another controller's. Repairs have more workers than
// verdicts, and in a cluster that is far away, all its machines may fall sick at once.
func TestControllersWaitApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far := client.ObjectKey{Name: "far"}
		c := &Clusters{Cache: &fleet{how: map[client.ObjectKey]*connection{far: after(100 * time.Millisecond)}}, Clock: clock.RealClock{}}
		verdicts, repairs := c.For(2), c.For(8)
		for range 2 {
			_, _ = repairs.GetLive(t.Context(), far, "n")
			<-time.After(liveTimeout)
		}
		var answered, sentAway atomic.Int32
		read := func(nodes Nodes) {
			if _, err := nodes.GetLive(t.Context(), far, "n"); errors.Is(err, ErrBusy) {
				sentAway.Add(1)
			} else if err == nil {
				answered.Add(1)
			}
		}
		for range 10 {
			go read(repairs)
		}
		synctest.Wait()
		go read(verdicts)
		<-time.After(liveTimeout)
		if answered.Load() != 5 || sentAway.Load() != 6 {
			t.Errorf("%d have an answer and %d were sent away, want four repairs and a verdict, and six repairs", answered.Load(), sentAway.Load())
		}
	})
}

// TestNowSoonNowLate: a cluster that answers now soon, now late is given the time of its late answers for a while, and not for ever.
func TestNowSoonNowLate(t *testing.T) {
	var l lines
	who, now := callers{10, &waiting{}}, time.Now()
	by := path{cluster: client.ObjectKey{Name: "busy"}, live: true}
	answer := func(took time.Duration) (limit time.Duration) {
		mine, err := l.enter(by, who, now)
		if err != nil {
			t.Fatal(err)
		}
		l.leave(by, mine, nil, now.Add(took))
		return mine.limit
	}
	answer(160 * time.Millisecond)
	answer(time.Millisecond)
	if limit := answer(time.Millisecond); limit < 200*time.Millisecond {
		t.Errorf("after a late answer and one that was not, it has %s", limit)
	}
	for range 30 {
		answer(time.Millisecond)
	}
	if limit := answer(time.Millisecond); limit != quick {
		t.Errorf("after many answers in time, it has %s", limit)
	}
	if who.all != 0 || len(who.by) > 0 {
		t.Errorf("%d wait, %v", who.all, who.by)
	}
}
