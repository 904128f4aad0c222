package workload

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/cluster-api/controllers/clustercache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// fleet is a clustercache of many clusters, each with its own behavior.
type fleet struct {
	clustercache.ClusterCache

	mu  sync.Mutex
	how map[client.ObjectKey]*connection
}

func (f *fleet) to(cluster client.ObjectKey) *reader {
	f.mu.Lock()
	defer f.mu.Unlock()
	// A connection counts its reads, and here many run at once.
	own := *f.how[cluster]
	return &reader{connection: &own}
}

func (f *fleet) set(cluster client.ObjectKey, how *connection) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.how[cluster] = how
}

// GetReader implements clustercache.ClusterCache.
func (f *fleet) GetReader(_ context.Context, cluster client.ObjectKey) (client.Reader, error) {
	return f.to(cluster), nil
}

// GetUncachedClient implements clustercache.ClusterCache.
func (f *fleet) GetUncachedClient(_ context.Context, cluster client.ObjectKey) (client.Client, error) {
	return f.to(cluster), nil
}

// after returns a connection that answers after that delay.
func after(late time.Duration) *connection {
	return &connection{get: func(ctx context.Context, node *corev1.Node) error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(late):
			node.Name = "n"
			return nil
		}
	}}
}

// work is the queue of a controller whose workers read a Node for each request. A worker that gets ErrBusy comes back soon; one whose cluster
// cannot be read comes back later.
type work struct {
	clusters *Clusters
	live     bool
	queue    chan client.ObjectKey
	// answered records when a cluster was read.
	mu       sync.Mutex
	answered map[client.ObjectKey][]time.Time
}

const (
	workersOfTest = 10
	retryOfTest   = 15 * time.Second
)

func newWork(t *testing.T, f *fleet, live bool) *work {
	t.Helper()
	w := &work{
		clusters: &Clusters{Cache: f, Clock: clock.RealClock{}, Started: time.Now(), Waiting: workersOfTest / 2},
		live:     live, queue: make(chan client.ObjectKey, 10000), answered: map[client.ObjectKey][]time.Time{},
	}
	for range workersOfTest {
		go func() {
			for {
				select {
				case <-t.Context().Done():
					return
				case cluster := <-w.queue:
					w.one(t.Context(), cluster)
				}
			}
		}()
	}
	return w
}

func (w *work) one(ctx context.Context, cluster client.ObjectKey) {
	get := w.clusters.Get
	if w.live {
		get = w.clusters.GetLive
	}
	_, err := get(ctx, cluster, "n")
	again := retryOfTest
	switch {
	case err == nil:
		w.mu.Lock()
		defer w.mu.Unlock()
		w.answered[cluster] = append(w.answered[cluster], time.Now())
		return
	case errors.Is(err, ErrBusy):
		again = Soon()
	}
	time.AfterFunc(again, func() {
		if ctx.Err() == nil {
			w.queue <- cluster
		}
	})
}

func (w *work) times(cluster client.ObjectKey) []time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.answered[cluster]
}

// hang makes that many clusters hang.
func (f *fleet) hang(clusters int) {
	for i := range clusters {
		f.set(hangingKey(i), hangs(context.DeadlineExceeded))
	}
}

func hangingKey(i int) client.ObjectKey {
	return client.ObjectKey{Namespace: "hangs", Name: fmt.Sprint(i)}
}

// TestOthersDoNotWait: many clusters hang, and all their machines are due. A machine of another cluster, which is due after all of them, is read
// within a second.
func TestOthersDoNotWait(t *testing.T) {
	alone := client.ObjectKey{Name: "alone"}
	for _, live := range []bool{false, true} {
		for _, hanging := range []int{1, 3, 8, 12, 50} {
			t.Run(fmt.Sprintf("%d hang, live %t", hanging, live), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := &fleet{how: map[client.ObjectKey]*connection{alone: answers(nil)}}
					f.hang(hanging)
					w := newWork(t, f, live)
					for i := range 20 * hanging {
						w.queue <- hangingKey(i / 20)
					}
					// First while nobody knows that they hang, and then at various times.
					for _, at := range []time.Duration{0, time.Second, 2500 * time.Millisecond, 12 * time.Second, 20 * time.Second} {
						<-time.After(at)
						due := time.Now()
						before := len(w.times(alone))
						w.queue <- alone
						for len(w.times(alone)) == before {
							<-time.After(time.Millisecond)
						}
						if took := time.Since(due); took > time.Second {
							t.Errorf("%s later it waits %s", at, took)
						}
					}
				})
			})
		}
	}
}

// TestOneSlowAnswer: fifty clusters hang. One answer of another cluster comes late, because the computer was busy; that cluster does not have to
// wait until it is known which clusters hang.
func TestOneSlowAnswer(t *testing.T) {
	alone := client.ObjectKey{Name: "alone"}
	for _, live := range []bool{false, true} {
		for _, late := range []time.Duration{20 * time.Millisecond, 100 * time.Millisecond} {
			t.Run(fmt.Sprintf("after %s, live %t", late, live), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := &fleet{how: map[client.ObjectKey]*connection{alone: after(time.Millisecond)}}
					f.hang(50)
					w := newWork(t, f, live)
					w.queue <- alone
					<-time.After(time.Second)
					for i := range 500 {
						w.queue <- hangingKey(i % 50)
					}
					<-time.After(500 * time.Millisecond)
					f.set(alone, after(late))
					due := time.Now()
					w.queue <- alone
					<-time.After(late)
					f.set(alone, after(time.Millisecond))
					for len(w.times(alone)) == 1 {
						<-time.After(time.Millisecond)
					}
					if took := time.Since(due); took > 3*time.Second {
						t.Errorf("it waits %s", took)
					}
				})
			})
		}
	}
}

// TestSlowClustersAreRead: fifty clusters hang, and yet all fifty Nodes of a cluster that is always slow are read.
func TestSlowClustersAreRead(t *testing.T) {
	slow := client.ObjectKey{Name: "slow"}
	for _, live := range []bool{false, true} {
		for _, late := range []time.Duration{time.Millisecond, 300 * time.Millisecond, 1500 * time.Millisecond} {
			t.Run(fmt.Sprintf("after %s, live %t", late, live), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := &fleet{how: map[client.ObjectKey]*connection{slow: after(late)}}
					f.hang(50)
					w := newWork(t, f, live)
					for i := range 500 {
						w.queue <- hangingKey(i % 50)
						if i%10 == 0 {
							w.queue <- slow
						}
					}
					<-time.After(20*time.Second + 100*late)
					if n := len(w.times(slow)); n != 50 {
						t.Errorf("%d of 50 Nodes were read", n)
					}
				})
			})
		}
	}
}

// TestStormIsNotHeldBack: if a cluster answers, all workers read in parallel, and nobody gets ErrBusy.
func TestStormIsNotHeldBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cluster := client.ObjectKey{Name: "storm"}
		w := newWork(t, &fleet{how: map[client.ObjectKey]*connection{cluster: after(5 * time.Millisecond)}}, true)
		begun := time.Now()
		for range 1000 {
			w.queue <- cluster
		}
		for len(w.times(cluster)) < 1000 {
			<-time.After(time.Millisecond)
		}
		if took := time.Since(begun); took > 501*time.Millisecond {
			t.Errorf("1000 reads of 5 ms by %d workers took %s", workersOfTest, took)
		}
	})
}

// TestHungClusterIsFoundAgain: twelve clusters hang, and one recovers. It is read at its next try.
func TestHungClusterIsFoundAgain(t *testing.T) {
	for _, late := range []time.Duration{0, 300 * time.Millisecond} {
		for _, live := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				f := &fleet{how: map[client.ObjectKey]*connection{}}
				f.hang(12)
				w := newWork(t, f, live)
				for i := range 240 {
					w.queue <- hangingKey(i % 12)
				}
				<-time.After(time.Minute)
				f.set(hangingKey(0), after(late))
				<-time.After(2*hangBackoff + retryOfTest)
				if late > 0 {
					// Its turn must come first.
					<-time.After(3 * time.Minute)
				}
				if n := len(w.times(hangingKey(0))); n != 20 {
					t.Errorf("it answers after %s, live %t, and %d of its 20 Nodes were read", late, live, n)
				}
			})
		}
	}
}

// TestSlowAfterItHung: while others hang, a cluster recovers, but now always takes longer than its first time limit.
func TestSlowAfterItHung(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fleet{how: map[client.ObjectKey]*connection{}}
		f.hang(12)
		w := newWork(t, f, true)
		for i := range 120 {
			w.queue <- hangingKey(i % 12)
		}
		<-time.After(time.Minute)
		f.set(hangingKey(0), after(4*time.Second))
		<-time.After(10 * time.Minute)
		if n := len(w.times(hangingKey(0))); n != 10 {
			t.Errorf("%d of its 10 Nodes were read", n)
		}
	})
}

// TestSentAway: callers that only show Nodes see a cluster that does not answer; callers that decide get ErrBusy.
func TestSentAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fleet{how: map[client.ObjectKey]*connection{}}
		f.hang(1)
		c := &Clusters{Cache: f, Clock: clock.RealClock{}, Waiting: 1}
		go func() { _, _ = c.GetLive(t.Context(), hangingKey(0), "n") }()
		go func() { _, _ = c.Get(t.Context(), hangingKey(0), "n") }()
		<-time.After(shortest)
		_, err := c.GetLive(t.Context(), hangingKey(0), "n")
		if cause, ok := Unreadable(err); !ok || cause != causeNoAnswer || !errors.Is(err, ErrBusy) {
			t.Errorf("who shows it is told %v", err)
		}
		if since, failing := c.failing.Load(path{cluster: hangingKey(0), live: true}); failing {
			t.Errorf("it counts as failing since %v, and nobody has waited in vain", since)
		}
		decides := Decisive(c)
		for name, get := range map[string]func(context.Context, client.ObjectKey, string) (*corev1.Node, error){
			"live": decides.GetLive, "cached": decides.Get, "listed": ForMany(t.Context(), decides, hangingKey(0), listFrom).Get,
		} {
			if _, err := get(t.Context(), hangingKey(0), "n"); !errors.Is(err, ErrBusy) {
				t.Errorf("%s: who decides is told %v", name, err)
			} else if _, ok := Unreadable(err); ok {
				t.Errorf("%s: who decides is told that it cannot be read", name)
			}
		}
		c.Forget(hangingKey(0))
		if len(c.lines.of) > 0 {
			t.Errorf("known is %v", c.lines.of)
		}
		<-time.After(time.Minute)
	})
}
