package app

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

const (
	eventsPath   = "/apis/events.k8s.io/v1/namespaces/ns/events"
	machinesPath = "/apis/cluster.x-k8s.io/v1beta2/namespaces/ns/machines/events/status"
	behindProxy  = "/k8s/clusters/behind-a-proxy"
)

// sender sends requests by way of two transports that let events come last, to a server that answers when the test lets it.
type sender struct {
	t     *testing.T
	via   [2]http.RoundTripper
	sent  int
	begun chan string
	// answers has a channel for each path, on which the requests under way wait for an answer; all are answered once closed is closed.
	answers sync.Map
	closed  chan struct{}
	done    chan error
}

func newSender(t *testing.T) *sender {
	t.Helper()
	s := &sender{t: t, begun: make(chan string, 100), closed: make(chan struct{}), done: make(chan error, 100)}
	wrap := withEventsLast()
	s.via = [2]http.RoundTripper{wrap(s), wrap(s)}
	return s
}

// RoundTrip is the server.
func (s *sender) RoundTrip(req *http.Request) (*http.Response, error) {
	s.begun <- req.URL.Path
	select {
	case <-s.answerTo(req.URL.Path):
	case <-s.closed:
	}
	return &http.Response{StatusCode: http.StatusCreated}, nil
}

// send sends a request, by way of each transport in turn, and lets it come as far as it can now.
func (s *sender) send(method, path string) {
	s.sent++
	via, req := s.via[s.sent%2], request(s.t.Context(), s.t, method, path)
	go func() {
		_, err := via.RoundTrip(req) //nolint:bodyclose // it has none
		s.done <- err
	}()
	synctest.Wait()
}

// answer lets the server answer one request for a path.
func (s *sender) answer(path string) {
	s.answerTo(path) <- struct{}{}
	synctest.Wait()
}

func (s *sender) answerTo(path string) chan struct{} {
	answer, _ := s.answers.LoadOrStore(path, make(chan struct{}))
	return answer.(chan struct{})
}

// want fails unless exactly these requests have reached the server since the last call.
func (s *sender) want(paths ...string) {
	s.t.Helper()
	synctest.Wait()
	var got []string
	for range len(s.begun) {
		got = append(got, <-s.begun)
	}
	if strings.Join(got, " ") != strings.Join(paths, " ") {
		s.t.Errorf("%q have begun, want %q", got, paths)
	}
}

// storm sends many requests that are not events: the first of them reads.
func (s *sender) storm(requests int) {
	for i := range requests {
		s.send([]string{http.MethodGet, http.MethodPatch}[min(i, 1)], machinesPath)
		s.want(machinesPath)
	}
}

// answerAll lets the server answer all requests, and waits for them.
func (s *sender) answerAll() {
	close(s.closed)
	for range s.sent {
		if err := <-s.done; err != nil {
			s.t.Error(err)
		}
	}
}

// TestEventsInTurn: events wait for each other, also those of another client, and delay nothing else.
func TestEventsInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSender(t)
		for _, path := range []string{"/a", behindProxy, "/c"} {
			s.send(http.MethodPost, path+eventsPath)
		}
		s.want("/a" + eventsPath)
		s.send(http.MethodPatch, machinesPath)
		s.send(http.MethodGet, eventsPath)
		s.want(machinesPath, eventsPath)
		s.answer("/a" + eventsPath)
		s.want(behindProxy + eventsPath)
		s.answer(behindProxy + eventsPath)
		s.want("/c" + eventsPath)
		s.answerAll()
	})
}

// TestEventsWaitForRepairs: while many other requests are under way, an event waits for them, but not for long: they may hang. Beside a single
// repair, it does not wait.
func TestEventsWaitForRepairs(t *testing.T) {
	for name, tt := range map[string]struct {
		others, end int
		method      string
		want        time.Duration
	}{
		"a single repair":  {busyWith - 1, 0, http.MethodPost, 0},
		"a storm":          {3 * busyWith, 0, http.MethodPost, eventPatience},
		"a storm ends":     {3 * busyWith, 2*busyWith + 1, http.MethodPost, eventPatience / 2},
		"a storm goes on":  {3 * busyWith, 2 * busyWith, http.MethodPost, eventPatience},
		"a repeated event": {3 * busyWith, 0, http.MethodPatch, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, start := newSender(t), time.Now()
				s.storm(tt.others)
				s.send(tt.method, eventsPath)
				if tt.end > 0 {
					time.Sleep(eventPatience / 2)
				}
				for range tt.end {
					s.answer(machinesPath)
				}
				if got := <-s.begun; got != eventsPath {
					t.Errorf("%s has begun, want the event", got)
				}
				if waited := time.Since(start); waited != tt.want {
					t.Errorf("the event waited for %s, want %s", waited, tt.want)
				}
				s.answerAll()
			})
		})
	}
}

// TestSecondStorm: after a storm, events do not wait until the next one begins.
func TestSecondStorm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSender(t)
		for range 2 {
			s.storm(busyWith)
			s.send(http.MethodPost, eventsPath)
			s.want()
			time.Sleep(eventPatience)
			s.want(eventsPath)
			s.answer(eventsPath)
			for range busyWith {
				s.answer(machinesPath)
			}
			s.send(http.MethodPost, eventsPath)
			s.want(eventsPath)
			s.answer(eventsPath)
		}
		s.answerAll()
	})
}

// TestRepeatedEventComesAfterTheFirst: client-go changes an event that is repeated. Before the event exists, that fails, and is retried for seconds.
func TestRepeatedEventComesAfterTheFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSender(t)
		s.storm(busyWith)
		s.send(http.MethodPost, eventsPath)
		s.send(http.MethodPatch, eventsPath+"/repeated")
		s.want()
		s.answer(machinesPath)
		s.want(eventsPath)
		s.answer(eventsPath)
		s.want(eventsPath + "/repeated")
		s.answerAll()
	})
}

// TestEventThatHangs: an event that is not answered, as somebody's webhook may hang, keeps the others waiting for a moment only. Answered late, it
// does not end the turn of another one.
func TestEventThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSender(t)
		for _, path := range []string{"/a", "/b", "/c"} {
			s.send(http.MethodPost, path+eventsPath)
		}
		s.want("/a" + eventsPath)
		time.Sleep(longestTurn)
		s.want("/b" + eventsPath)
		time.Sleep(longestTurn / 2)
		s.answer("/a" + eventsPath)
		s.want()
		time.Sleep(longestTurn / 2)
		s.want("/c" + eventsPath)
		s.answerAll()
	})
}

// TestEventGivesUp: no event waits for ever, for example at the end of the process.
func TestEventGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSender(t)
		s.send(http.MethodPost, eventsPath)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		waiting, body := request(ctx, t, http.MethodPost, eventsPath), &closer{}
		waiting.Body = body
		if _, err := s.via[0].RoundTrip(waiting); !errors.Is(err, context.Canceled) { //nolint:bodyclose // it has none
			t.Errorf("error is %v, want that the context has ended", err)
		}
		if !body.closed {
			t.Error("its body is still open")
		}
		s.answerAll()
	})
}

// closer is a body that knows whether it was closed.
type closer struct {
	strings.Reader

	closed bool
}

// Close implements io.Closer.
func (c *closer) Close() error {
	c.closed = true
	return nil
}

func request(ctx context.Context, t *testing.T, method, path string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, "https://server"+path, io.NopCloser(strings.NewReader("{}")))
	if err != nil {
		t.Fatal(err)
	}
	return req
}
