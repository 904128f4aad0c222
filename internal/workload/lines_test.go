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
	t     *testing.T
	fleet *fleet
	get   func(context.Context, client.ObjectKey, string) (*corev1.Node, error)
	queue chan client.ObjectKey
	// answered counts the reads of each cluster that were answered.
	mu       sync.Mutex
	answered map[client.ObjectKey]int
}

const (
	workersOfTest = 10
	retryOfTest   = 15 * time.Second
	// foundAgain bounds how long a cluster that has recovered stays unread: its reads fail at once, somebody comes, and comes back after a trial.
	foundAgain = 3*hangBackoff/2 + retryOfTest + retryOfTest
)

// newWork starts workers on a fleet of which that many clusters hang.
func newWork(t *testing.T, live bool, hanging int) *work {
	t.Helper()
	f := &fleet{how: map[client.ObjectKey]*connection{}}
	for i := range hanging {
		f.set(hangingKey(i), hangs(context.DeadlineExceeded))
	}
	c := &Clusters{Cache: f, Clock: clock.RealClock{}, Started: time.Now(), Waiting: workersOfTest / 2}
	w := &work{t: t, fleet: f, get: c.Get, queue: make(chan client.ObjectKey, 10000), answered: map[client.ObjectKey]int{}}
	if live {
		w.get = c.GetLive
	}
	ctx, end := context.WithCancel(t.Context())
	t.Cleanup(func() {
		end()
		// Trials go on without their callers.
		<-time.After(liveTimeout)
	})
	for range workersOfTest {
		go func() {
			for {
				select {
				case <-ctx.Done():
					return
				case cluster := <-w.queue:
					w.one(ctx, cluster)
				}
			}
		}()
	}
	return w
}

func (w *work) one(ctx context.Context, cluster client.ObjectKey) {
	_, err := w.get(ctx, cluster, "n")
	again := retryOfTest
	switch {
	case err == nil:
		w.mu.Lock()
		defer w.mu.Unlock()
		w.answered[cluster]++
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

// add queues that many requests for each of these clusters, which a controller's queue serves in turn.
func (w *work) add(each int, clusters ...client.ObjectKey) {
	for range each {
		for _, cluster := range clusters {
			w.queue <- cluster
		}
	}
}

// wants has that many more reads of a cluster be answered within a time, and in no more.
func (w *work) wants(cluster client.ObjectKey, reads int, within time.Duration) {
	w.t.Helper()
	begun := time.Now()
	for {
		w.mu.Lock()
		answered := w.answered[cluster]
		if answered == reads {
			w.answered[cluster] = 0
		}
		w.mu.Unlock()
		switch {
		case answered == reads:
			return
		case time.Since(begun) > within:
			w.t.Errorf("%d of %d Nodes of %s were read within %s", answered, reads, cluster, within)
			return
		}
		<-time.After(within / 500)
	}
}

func hangingKey(i int) client.ObjectKey {
	return client.ObjectKey{Namespace: "hangs", Name: fmt.Sprint(i)}
}

func hangingKeys(n int) []client.ObjectKey {
	keys := make([]client.ObjectKey, n)
	for i := range keys {
		keys[i] = hangingKey(i)
	}
	return keys
}

// hang has clusters hang which until now have answered after a while.
func (w *work) hang(clusters []client.ObjectKey, before time.Duration) {
	w.t.Helper()
	for _, cluster := range clusters {
		w.fleet.set(cluster, after(before))
		w.add(2, cluster)
		w.wants(cluster, 2, time.Second+3*before)
		w.fleet.set(cluster, hangs(context.DeadlineExceeded))
	}
}

// inBoth runs a test with reads from the cache and with live ones, while that many clusters hang.
func inBoth(t *testing.T, name string, hanging int, test func(w *work)) {
	t.Helper()
	for _, live := range []bool{false, true} {
		t.Run(fmt.Sprintf("%s, live %t", name, live), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(newWork(t, live, hanging)) })
		})
	}
}

// TestOthersDoNotWait: many clusters begin to hang, near or far ones, and all their machines are due. A machine of another cluster, which is due
// after all of them, is read within half a second, even if one of its own answers comes late.
func TestOthersDoNotWait(t *testing.T) {
	alone := client.ObjectKey{Name: "alone"}
	for _, hanging := range []int{1, 8, 50} {
		for _, before := range []time.Duration{time.Millisecond, 200 * time.Millisecond} {
			inBoth(t, fmt.Sprintf("%d hang that answered after %s", hanging, before), 0, func(w *work) {
				w.hang(hangingKeys(hanging), before)
				w.fleet.set(alone, after(time.Millisecond))
				w.add(20, hangingKeys(hanging)...)
				// First while nobody knows that they hang, and then at various times.
				for _, at := range []time.Duration{0, time.Second, 2500 * time.Millisecond, 12 * time.Second, 20 * time.Second} {
					<-time.After(at)
					w.add(1, alone)
					w.wants(alone, 1, 500*time.Millisecond)
				}
				w.fleet.set(alone, after(100*time.Millisecond))
				w.add(1, alone)
				<-time.After(100 * time.Millisecond)
				w.fleet.set(alone, after(time.Millisecond))
				w.wants(alone, 1, time.Second)
			})
		}
	}
}

// TestSlowClustersAreRead: fifty clusters hang, and yet all fifty Nodes of a cluster that is always slow are read.
func TestSlowClustersAreRead(t *testing.T) {
	slow := client.ObjectKey{Name: "slow"}
	for _, late := range []time.Duration{30 * time.Millisecond, 1500 * time.Millisecond} {
		inBoth(t, fmt.Sprintf("after %s", late), 0, func(w *work) {
			w.hang(hangingKeys(50), late)
			w.fleet.set(slow, after(late))
			w.add(10, hangingKeys(50)...)
			w.add(50, slow)
			// Each that hangs takes one of the five places for twice as long as it took before.
			w.wants(slow, 50, 5*time.Second+50*2*late/5+50*late)
		})
	}
}

// TestStormIsNotHeldBack: if a cluster answers quickly, all workers read in parallel, and nobody gets ErrBusy.
func TestStormIsNotHeldBack(t *testing.T) {
	cluster := client.ObjectKey{Name: "storm"}
	inBoth(t, "a storm", 0, func(w *work) {
		w.fleet.set(cluster, after(5*time.Millisecond))
		w.add(1000, cluster)
		w.wants(cluster, 1000, 501*time.Millisecond)
	})
}

// TestHungClusterIsFoundAgain: twelve clusters hang, and one recovers, however slow it is now.
func TestHungClusterIsFoundAgain(t *testing.T) {
	for _, late := range []time.Duration{0, 300 * time.Millisecond, 1500 * time.Millisecond} {
		inBoth(t, fmt.Sprintf("after %s", late), 12, func(w *work) {
			w.add(20, hangingKeys(12)...)
			<-time.After(time.Minute)
			w.fleet.set(hangingKey(0), after(late))
			w.wants(hangingKey(0), 20, foundAgain+20*late)
		})
	}
}

// TestSentAway: callers that only show Nodes see a cluster that does not answer; callers that decide get ErrBusy until it is known to hang.
func TestSentAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Clusters{Cache: newWork(t, false, 1).fleet, Clock: clock.RealClock{}, Waiting: 1}
		decides := Decisive(c)
		for name, get := range map[string]func(context.Context, client.ObjectKey, string) (*corev1.Node, error){
			"live": decides.GetLive, "cached": decides.Get,
			"listed": func(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error) {
				return ForMany(ctx, decides, cluster, listFrom).Get(ctx, cluster, name)
			},
		} {
			for range 2 {
				if _, err := get(t.Context(), hangingKey(0), "n"); !errors.Is(err, ErrBusy) {
					t.Errorf("%s: who decides is told %v", name, err)
				} else if _, ok := Unreadable(err); ok {
					t.Errorf("%s: who decides is told that it cannot be read", name)
				}
			}
		}
		_, err := c.GetLive(t.Context(), hangingKey(0), "n")
		if cause, ok := Unreadable(err); !ok || cause != causeNoAnswer {
			t.Errorf("who shows it is told %v", err)
		}
		if since, failing := c.failingSince(hangingKey(0)); failing {
			t.Errorf("it counts as failing since %v, and nobody knows whether it hangs", since)
		}
		<-time.After(liveTimeout + time.Second)
		if _, err := decides.GetLive(t.Context(), hangingKey(0), "n"); err == nil || errors.Is(err, ErrBusy) {
			t.Errorf("it hangs, and who decides is told %v", err)
		}
		if _, failing := c.failingSince(hangingKey(0)); !failing {
			t.Error("it hangs, and does not count as failing")
		}
		c.Forget(hangingKey(0))
		if len(c.lines.of) > 0 {
			t.Errorf("known is %v", c.lines.of)
		}
	})
}
