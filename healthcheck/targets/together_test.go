package targets_test

import (
	"net/http"
	"sync"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/sickbay-dev/sickbay/healthcheck/targets"
)

// TestManyFailAtOnce: failures of concurrent requests count as one.
func TestManyFailAtOnce(t *testing.T) {
	const readers = 10
	begun, fail := make(chan struct{}, readers), make(chan struct{})
	s := serve(t, func(s *server, _ http.ResponseWriter, r *http.Request) bool {
		select {
		case <-fail:
			return false
		default:
		}
		if r.URL.Path != aConfigMapPath {
			return false
		}
		begun <- struct{}{}
		select {
		case <-fail:
		case <-s.ended:
		}
		panic(http.ErrAbortHandler)
	})
	clock := newClock()
	c := &targets.Clients[string]{Resolve: one(at("c", "1", s.config())), Options: targets.Options{Clock: clock}}
	defer c.Close()
	var wait sync.WaitGroup
	for range readers {
		wait.Go(func() {
			if got := text(get(t, c, "o")); got != "cluster c cannot be reached" {
				t.Errorf("the error is %q", got)
			}
		})
	}
	for range readers {
		<-begun
	}
	close(fail)
	wait.Wait()
	clock.Step(firstBackoff)
	if err := get(t, c, "o"); err != nil {
		t.Errorf("after the first back-off: %v", err)
	}
}

// TestQueueForDiscovery: only one caller at a time can run discovery. When it fails, those
// in the queue must not try one after the other. The next one may start before the failure
// is recorded, and try too; no later one may.
func TestQueueForDiscovery(t *testing.T) {
	const readers = 10
	labelled(t)
	fail, failed := make(chan struct{}), make(chan struct{})
	s := serve(t, func(s *server, _ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/api" {
			return false
		}
		until := fail
		if s.count("/api") > 1 {
			until = failed
		}
		select {
		case <-until:
		case <-s.ended:
		}
		panic(http.ErrAbortHandler)
	})
	c := &targets.Clients[string]{Resolve: one(at("c", "1", s.config())), Options: targets.Options{Clock: newClock()}}
	defer c.Close()
	var wait sync.WaitGroup
	saidSo := sync.OnceFunc(func() { close(failed) })
	for range readers {
		wait.Go(func() {
			if got := text(get(t, c, "o")); got != "cluster c cannot be reached" {
				t.Errorf("the error is %q", got)
			}
			saidSo()
		})
	}
	NewWithT(t).Eventually(func() int { return goroutines(t.Name(), "clientRestResources).getResource") }, patience).Should(Equal(readers))
	close(fail)
	wait.Wait()
	if asked := s.count("/api"); asked > 2 {
		t.Errorf("it was asked %d times", asked)
	}
}
