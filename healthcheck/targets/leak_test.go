package targets_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/metrics"

	"github.com/sickbay-dev/sickbay/healthcheck/targets"
)

// world returns targets that have all been used.
func world(t *testing.T, options targets.Options) (*targets.Clients[string], map[string]*server) {
	t.Helper()
	servers := map[string]*server{}
	for i := range 10 {
		servers[fmt.Sprint(i)] = serve(t, nil)
	}
	c := &targets.Clients[string]{
		Resolve: func(_ context.Context, key string) (targets.Access, error) {
			return at(key, "1", servers[key].config()), nil
		},
		Options: options,
	}
	for key := range servers {
		if err := get(t, c, key); err != nil {
			t.Fatal(err)
		}
	}
	return c, servers
}

func open(servers map[string]*server) func() int {
	return func() int {
		n := 0
		for _, s := range servers {
			n += int(s.open.Load())
		}
		return n
	}
}

// TestIdleTargets: the clock alone closes them, with their connections and goroutines.
func TestIdleTargets(t *testing.T) {
	g := NewWithT(t)
	labelled(t)
	serving := func() int { return clientGoroutines(t.Name()) }
	clock := newClock()
	c, servers := world(t, targets.Options{IdleTime: time.Minute, Clock: clock})
	g.Expect(open(servers)()).To(Equal(10))
	g.Expect(serving()).To(BeNumerically(">=", 10), "the profile shows no connections")

	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- c.Start(ctx) }()
	g.Eventually(clock.HasWaiters, patience).Should(BeTrue())
	clock.Step(30 * time.Second)
	if err := get(t, c, "3"); err != nil {
		t.Fatal(err)
	}
	g.Eventually(clock.HasWaiters, patience).Should(BeTrue())
	clock.Step(30 * time.Second)
	g.Eventually(open(servers), patience).Should(Equal(1), "connections after the idle time")
	if err := get(t, c, "3"); err != nil || servers["3"].opened.Load() != 1 {
		t.Errorf("the one in use was closed: %d connections, %v", servers["3"].opened.Load(), err)
	}
	cancel()
	g.Eventually(ended, patience).Should(Receive(BeNil()))
	g.Eventually(open(servers), patience).Should(BeZero(), "connections after the end")
	g.Eventually(serving, patience).Should(BeZero(), "goroutines after the end")
}

// TestClosedWhileInUse: the request under way completes, and so do later ones with the same
// client. Each time nothing is left behind.
func TestClosedWhileInUse(t *testing.T) {
	g := NewWithT(t)
	begun, proceed := make(chan struct{}), make(chan struct{})
	s := serve(t, pausing(begun, proceed))
	c := &targets.Clients[string]{Resolve: one(at("c", "1", s.config())), Options: targets.Options{Clock: newClock()}}
	r := reader(t, c, "o")
	ended := make(chan error)
	for range 2 {
		go func() { ended <- r.Get(t.Context(), aConfigMap, empty()) }()
		<-begun
		c.Close()
		g.Expect(s.open.Load()).To(BeEquivalentTo(1), "the connection in use")
		proceed <- struct{}{}
		g.Expect(<-ended).To(Succeed())
		g.Eventually(s.open.Load, patience).Should(BeZero(), "the connection when its last request has ended")
	}
}

// TestClosedWhileItIsMade: a client for a target that was dropped meanwhile serves its
// caller, and leaves nothing behind.
func TestClosedWhileItIsMade(t *testing.T) {
	g := NewWithT(t)
	begun, proceed := make(chan struct{}), make(chan struct{})
	s := serve(t, nil)
	c := &targets.Clients[string]{Resolve: one(targets.Access{Key: "c", Config: func(context.Context) (*rest.Config, error) {
		close(begun)
		<-proceed
		return s.config(), nil
	}})}
	ended := make(chan error)
	go func() { ended <- get(t, c, "o") }()
	<-begun
	c.Close()
	close(proceed)
	g.Expect(<-ended).To(Succeed())
	g.Eventually(s.open.Load, patience).Should(BeZero())
	g.Expect(s.opened.Load()).NotTo(BeZero())
}

// creations counts transports by the metric of client-go's global cache.
type creations struct{ sync.Map }

func (c *creations) Increment(result string) { c.Store(result, true) }

// TestGlobalCache: client-go's global cache gets no entries, since it may keep them for
// ever.
func TestGlobalCache(t *testing.T) {
	counted, before := &creations{}, metrics.TransportCreateCalls
	metrics.TransportCreateCalls = counted
	defer func() { metrics.TransportCreateCalls = before }()
	c, _ := world(t, targets.Options{})
	defer c.Close()
	var got []string
	counted.Range(func(result, _ any) bool {
		got = append(got, result.(string))
		return true
	})
	NewWithT(t).Expect(got).To(Equal([]string{"uncacheable"}))
}
