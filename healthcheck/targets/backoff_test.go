package targets_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/sickbay-dev/sickbay/healthcheck/targets"
)

// TestOneAsks: one request asks on behalf of all, and again after the back-off.
func TestOneAsks(t *testing.T) {
	s := serve(t, refuse)
	clock := newClock()
	c := &targets.Clients[string]{Resolve: one(at("c", "1", s.config())), Options: targets.Options{Clock: clock}}
	defer c.Close()
	asked := 0
	// 2, 4, 8 and 16 seconds, and then always 30.
	for _, backoff := range []time.Duration{2, 4, 8, 16, 30, 30} {
		for _, pass := range []time.Duration{0, backoff*time.Second - 1} {
			clock.Step(pass)
			var wait sync.WaitGroup
			for range 10 {
				wait.Go(func() {
					if got := text(get(t, c, "o")); got != "cluster c refuses the credential" {
						t.Errorf("the error is %q", got)
					}
				})
			}
			wait.Wait()
			if pass == 0 {
				asked++
			}
			if got := s.count("/version"); got != asked {
				t.Fatalf("with a back-off of %ds, %d requests were sent, want %d", backoff, got, asked)
			}
		}
		clock.Step(1)
	}
}

// TestRecovery: one answer is enough, and the next failure starts with the first back-off.
func TestRecovery(t *testing.T) {
	var sick toggle
	s := serve(t, func(s *server, w http.ResponseWriter, r *http.Request) bool { return sick.Load() && refuse(s, w, r) })
	clock := newClock()
	c := &targets.Clients[string]{Resolve: one(at("c", "1", s.config())), Options: targets.Options{Clock: clock}}
	defer c.Close()
	for range 3 {
		sick.Store(true)
		if err := get(t, c, "o"); err == nil {
			t.Error("a sick target was read")
		}
		sick.Store(false)
		if err := get(t, c, "o"); err == nil {
			t.Error("a target was asked again at once")
		}
		clock.Step(firstBackoff)
		if err := get(t, c, "o"); err != nil {
			t.Errorf("a target that has recovered cannot be read: %v", err)
		}
	}
}

// TestHalfDead: an answer to the probe alone is no recovery, and the back-off grows.
func TestHalfDead(t *testing.T) {
	s := serve(t, func(_ *server, w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == aConfigMapPath {
			panic(http.ErrAbortHandler)
		}
		return false
	})
	clock := newClock()
	c := &targets.Clients[string]{Resolve: one(at("c", "1", s.config())), Options: targets.Options{Clock: clock}}
	defer c.Close()
	for i, backoff := range []time.Duration{2, 4, 8} {
		if got := text(get(t, c, "o")); got != "cluster c cannot be reached" {
			t.Errorf("the error is %q", got)
		}
		clock.Step(backoff*time.Second - 1)
		if get(t, c, "o") == nil || s.count(aConfigMapPath) != i+1 {
			t.Errorf("it was asked %d times, want %d", s.count(aConfigMapPath), i+1)
		}
		clock.Step(1)
	}
}

// TestCallerGivesUp: that is not the target's fault.
func TestCallerGivesUp(t *testing.T) {
	begun := make(chan struct{}, 100)
	s := serve(t, func(s *server, w http.ResponseWriter, r *http.Request) bool {
		if len(begun) == 0 {
			begun <- struct{}{}
			return hang(s, w, r)
		}
		return false
	})
	tests := map[string]func() (context.Context, func()){
		"a shutdown": func() (context.Context, func()) { return context.WithCancel(t.Context()) },
		"a short deadline": func() (context.Context, func()) {
			d := deadline{t.Context(), make(chan struct{})}
			return d, func() { close(d.passed) }
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := &targets.Clients[string]{Resolve: one(at("c", "1", s.config())), Options: targets.Options{Clock: newClock()}}
			defer c.Close()
			ctx, end := test()
			ended := make(chan error)
			go func() { ended <- getWithin(ctx, t, c, "o") }()
			NewWithT(t).Eventually(func() int { return len(begun) }, patience).Should(Equal(1))
			end()
			if err := <-ended; err == nil {
				t.Error("no error, although the caller gave up")
			}
			if err := get(t, c, "o"); err != nil {
				t.Errorf("another caller gets %v", err)
			}
			<-begun
		})
	}
}
