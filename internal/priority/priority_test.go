package priority

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// server keeps each request until the test answers one of its class.
type server struct{ begun, answers map[string]chan struct{} }

const (
	act, verdict, event, watch = "act", "verdict", "event", "watch"
	long                       = time.Hour
)

func newServer() *server {
	s := &server{begun: map[string]chan struct{}{}, answers: map[string]chan struct{}{}}
	for _, kind := range []string{act, verdict, event, watch} {
		s.begun[kind], s.answers[kind] = make(chan struct{}, 100), make(chan struct{}, 100)
	}
	return s
}

// RoundTrip implements http.RoundTripper.
func (s *server) RoundTrip(req *http.Request) (*http.Response, error) {
	s.begun[req.Host] <- struct{}{}
	<-s.answers[req.Host]
	return &http.Response{}, nil
}

// running returns how many requests of a kind have reached the server without an answer, once nothing moves any more.
func (s *server) running(kind string) int {
	synctest.Wait()
	return len(s.begun[kind])
}

func (s *server) answer(kind string) {
	<-s.begun[kind]
	s.answers[kind] <- struct{}{}
	synctest.Wait()
}

func classOf(req *http.Request) (int, bool) {
	class, ok := map[string]int{act: 0, verdict: 1, event: 2}[req.Host]
	return class, ok
}

func send(ctx context.Context, t *testing.T, via http.RoundTripper, kind string) <-chan error {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+kind, io.NopCloser(strings.NewReader("{}")))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := via.RoundTrip(req) //nolint:bodyclose // it has none
		done <- err
	}()
	return done
}

// TestImportantRequestsGoFirst: while more important requests run, others wait, over all transports that share the lines. They begin in the
// order of importance, and then of arrival. Watches neither wait nor count.
func TestImportantRequestsGoFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		wrap := New(Class{Limit: 2, Pace: long}, Class{Limit: 2, Pace: long}, Class{Limit: 1, Pace: long}).Wrap(classOf)
		via, other := wrap(s), wrap(s)
		want := func(acts, verdicts, events int) {
			t.Helper()
			if a, v, e := s.running(act), s.running(verdict), s.running(event); a != acts || v != verdicts || e != events {
				t.Fatalf("%d acts, %d verdicts and %d events are running, want %d, %d and %d", a, v, e, acts, verdicts, events)
			}
		}
		for range 3 {
			send(t.Context(), t, via, watch)
			send(t.Context(), t, via, verdict)
		}
		want(0, 2, 0)
		send(t.Context(), t, other, event)
		for range 3 {
			send(t.Context(), t, other, act)
		}
		want(2, 2, 0)
		s.answer(verdict)
		want(2, 1, 0)
		s.answer(act)
		s.answer(act)
		want(1, 1, 0)
		s.answer(act)
		want(0, 2, 0)
		s.answer(verdict)
		want(0, 1, 0)
		s.answer(verdict)
		want(0, 0, 1)
		s.answer(event)
		if s.running(watch) != 3 {
			t.Errorf("%d watches are running, want 3", s.running(watch))
		}
		for range 3 {
			s.answer(watch)
		}
	})
}

// TestNobodyWaitsForEver: while all that is more important hangs, the others go on, at their pace.
func TestNobodyWaitsForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		via := New(Class{Limit: 2, Pace: long}, Class{Limit: 1, Pace: 25 * time.Millisecond}).Wrap(classOf)(s)
		for range 2 {
			send(t.Context(), t, via, act)
		}
		synctest.Wait()
		for range 4 {
			send(t.Context(), t, via, verdict)
		}
		for want := range 5 {
			if got := s.running(verdict); got != want {
				t.Errorf("after %d paces, %d are running", want, got)
			}
			<-time.After(25 * time.Millisecond)
		}
		for range 4 {
			s.answer(verdict)
		}
		for range 2 {
			s.answer(act)
		}
		send(t.Context(), t, via, verdict)
		if s.running(verdict) != 1 {
			t.Error("a request waits although none is running")
		}
		s.answer(verdict)
	})
}

// TestLessImportantRequestsHoldNobodyUp: many requests that hang, begun at their pace, do not keep a more important one from beginning.
func TestLessImportantRequestsHoldNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pace, hanging = 100 * time.Millisecond, 8
		s := newServer()
		via := New(Class{Limit: 4, Pace: long}, Class{Limit: 2, Pace: long}, Class{Limit: 1, Pace: pace}).Wrap(classOf)(s)
		for range hanging {
			send(t.Context(), t, via, event)
		}
		<-time.After(hanging * pace)
		if got := s.running(event); got != hanging {
			t.Fatalf("%d events are running, want %d", got, hanging)
		}
		for range 2 {
			send(t.Context(), t, via, act)
			send(t.Context(), t, via, verdict)
		}
		if acts := s.running(act); acts != 2 {
			t.Fatalf("%d acts are running, want 2", acts)
		}
		s.answer(act)
		s.answer(act)
		if verdicts := s.running(verdict); verdicts != 2 {
			t.Fatalf("%d verdicts are running, want 2", verdicts)
		}
		s.answer(verdict)
		s.answer(verdict)
		for range hanging {
			s.answer(event)
		}
	})
}

// TestMost: requests of a class that hang do not become more and more. Once one ends, the next one begins.
func TestMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pace, waiting = 100 * time.Millisecond, 5
		s := newServer()
		via := New(Class{Limit: 1, Pace: long}, Class{Limit: 1, Pace: long}, Class{Limit: 3, Pace: pace, Most: 2}).Wrap(classOf)(s)
		for range waiting {
			send(t.Context(), t, via, event)
		}
		for left := waiting; left > 0; left-- {
			<-time.After(10 * pace)
			if got, want := s.running(event), min(2, left); got != want {
				t.Errorf("%d of %d are running, want %d", got, left, want)
			}
			s.answer(event)
		}
	})
}

// TestGiveUp: a request whose context ends stops waiting, and takes the place of nobody.
func TestGiveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		lines := New(Class{Limit: 1, Pace: long})
		via := lines.Wrap(classOf)(s)
		first := send(t.Context(), t, via, act)
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		second := send(ctx, t, via, act)
		synctest.Wait()
		cancel()
		if err := <-second; !errors.Is(err, context.Canceled) {
			t.Errorf("error is %v, want that the context has ended", err)
		}
		third := send(t.Context(), t, via, act)
		s.answer(act)
		s.answer(act)
		for _, done := range []<-chan error{first, third} {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		turn := lines.join(0)
		lines.leave(0, turn)
		if lines.running[0] != 0 {
			t.Errorf("%d are said to run after one gave up at its turn", lines.running[0])
		}
	})
}
