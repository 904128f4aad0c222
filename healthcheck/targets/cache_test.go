package targets_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/client-go/rest"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/targets"
)

// TestShared: all objects of a target, and all their reads, share one connection, one
// configuration and one discovery.
func TestShared(t *testing.T) {
	s := serve(t, nil)
	var made atomic.Int32
	c := &targets.Clients[string]{Resolve: one(targets.Access{Key: "c", Version: "1", Config: func(context.Context) (*rest.Config, error) {
		made.Add(1)
		return s.config(), nil
	}})}
	defer c.Close()
	var wait sync.WaitGroup
	for i := range 50 {
		wait.Go(func() {
			for range 3 {
				if err := get(t, c, fmt.Sprint(i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	got := []int{int(made.Load()), int(s.opened.Load()), s.count("/version"), s.count("/api"), s.count("/apis"), s.count("/api/v1"), s.count(aConfigMapPath)}
	NewWithT(t).Expect(got).To(Equal([]int{1, 1, 1, 1, 1, 1, 150}), "configurations, connections, requests by path")
}

// TestNewVersion: a new version is used at once, even during the back-off of the old one; and
// the old one closes.
func TestNewVersion(t *testing.T) {
	s := serve(t, func(s *server, w http.ResponseWriter, r *http.Request) bool {
		return r.Header.Get("Authorization") != "Bearer good" && refuse(s, w, r)
	})
	var target atomic.Value
	use := func(version, token string) {
		config := s.config()
		config.BearerToken = token
		target.Store(at("c", version, config))
	}
	c := &targets.Clients[string]{
		Resolve: func(context.Context, string) (targets.Access, error) { return target.Load().(targets.Access), nil },
		Options: targets.Options{Clock: newClock()},
	}
	defer c.Close()
	for i := range 3 {
		use(fmt.Sprint("bad", i), "bad")
		if got := text(get(t, c, "o")); got != "cluster c refuses the credential" {
			t.Errorf("with a bad credential: %q", got)
		}
		use(fmt.Sprint("good", i), "good")
		if err := get(t, c, "o"); err != nil {
			t.Errorf("with a good credential: %v", err)
		}
	}
	NewWithT(t).Eventually(s.open.Load, patience).Should(BeEquivalentTo(1), "open connections")
}

// TestMaxTargets: the target that has been unused for longest is dropped.
func TestMaxTargets(t *testing.T) {
	servers := map[string]*server{"a": serve(t, nil), "b": serve(t, nil), "c": serve(t, nil)}
	clock := newClock()
	c := &targets.Clients[string]{
		Resolve: func(_ context.Context, key string) (targets.Access, error) {
			return at(key, "1", servers[key].config()), nil
		},
		Options: targets.Options{Clock: clock, MaxTargets: 2},
	}
	defer c.Close()
	for _, key := range []string{"a", "b", "a", "c", "a"} {
		clock.Step(time.Second)
		if err := get(t, c, key); err != nil {
			t.Error(err)
		}
	}
	g := NewWithT(t)
	g.Eventually(servers["b"].open.Load, patience).Should(BeEquivalentTo(0), "connections of the one that had to go")
	g.Expect(servers["a"].opened.Load()).To(BeEquivalentTo(1), "connections of the one that was used in between")
}

// TestThrottling: our own throttling does not count as a failure of the target.
func TestThrottling(t *testing.T) {
	s := serve(t, nil)
	c := &targets.Clients[string]{Resolve: one(at("c", "1", s.config())), Options: targets.Options{QPS: 1e-6, Burst: 5, Clock: newClock()}}
	defer c.Close()
	if err := get(t, c, "o"); err != nil {
		t.Fatalf("within the burst: %v", err)
	}
	err := get(t, c, "o")
	if unavailable, ok := errors.AsType[*healthcheck.UnavailableError](err); ok || err == nil {
		t.Errorf("beyond the burst: %v (%v)", err, unavailable)
	}
	unlimited := &targets.Clients[string]{Resolve: one(at("c", "1", s.config())), Options: targets.Options{QPS: -1, Burst: 1}}
	defer unlimited.Close()
	for range 10 {
		if err := get(t, unlimited, "o"); err != nil {
			t.Errorf("without a limit: %v", err)
		}
	}
}
