package app

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

// transport blocks each request until the test releases it.
type transport struct{ begun, let chan string }

func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	t.begun <- req.URL.Path
	<-t.let
	return &http.Response{StatusCode: http.StatusCreated}, nil
}

const (
	eventsPath   = "/apis/events.k8s.io/v1/namespaces/ns/events"
	machinesPath = "/apis/cluster.x-k8s.io/v1beta2/namespaces/ns/machines/events/status"
)

// TestEventsInTurn: events wait for each other, and delay nothing else.
func TestEventsInTurn(t *testing.T) {
	server := transport{begun: make(chan string), let: make(chan string)}
	wrap := withEventsLast()
	one, other := wrap(server), wrap(server)
	done := make(chan error)
	send := func(via http.RoundTripper, method, path string) {
		go func() {
			_, err := via.RoundTrip(request(t.Context(), t, method, path)) //nolint:bodyclose // it has none
			done <- err
		}()
	}
	send(one, http.MethodPost, "/k8s/clusters/behind-a-proxy"+eventsPath)
	<-server.begun
	send(other, http.MethodPost, eventsPath)
	for method, path := range map[string]string{http.MethodPatch: machinesPath, http.MethodGet: eventsPath} {
		send(one, method, path)
		if got := <-server.begun; got != path {
			t.Fatalf("%s is under way, want %s", got, path)
		}
	}
	close(server.let)
	if got := <-server.begun; got != eventsPath {
		t.Errorf("%s is under way at last, want the event that had to wait", got)
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// TestEventGivesUp: no event waits for ever, for example at the end of the process.
func TestEventGivesUp(t *testing.T) {
	server := transport{begun: make(chan string), let: make(chan string)}
	events := withEventsLast()(server)
	go func() {
		_, _ = events.RoundTrip(request(t.Context(), t, http.MethodPost, eventsPath)) //nolint:bodyclose // it has none
	}()
	<-server.begun
	defer close(server.let)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	waiting := request(ctx, t, http.MethodPost, eventsPath)
	if _, err := events.RoundTrip(waiting); !errors.Is(err, context.Canceled) { //nolint:bodyclose // it has none
		t.Errorf("error is %v, want that the context has ended", err)
	}
}

func request(ctx context.Context, t *testing.T, method, path string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, "https://server"+path, io.NopCloser(strings.NewReader("{}")))
	if err != nil {
		t.Fatal(err)
	}
	return req
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
				for range tt.others {
					s.send(http.MethodPatch, machinesPath)
					<-s.server.begun
				}
				s.send(tt.method, eventsPath)
				if tt.end > 0 {
					time.Sleep(eventPatience / 2)
				}
				for range tt.end {
					s.server.let <- ""
				}
				if got := <-s.server.begun; got != eventsPath {
					t.Errorf("%s is under way, want the event", got)
				}
				if waited := time.Since(start); waited != tt.want {
					t.Errorf("the event waited for %s, want %s", waited, tt.want)
				}
				s.finish(tt.others + 1)
			})
		})
	}
}

// TestRepeatedEventComesAfterTheFirst: client-go changes an event that is repeated. Before the event exists, that fails, and is retried for seconds.
func TestRepeatedEventComesAfterTheFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSender(t)
		for range busyWith {
			s.send(http.MethodPatch, machinesPath)
			<-s.server.begun
		}
		s.send(http.MethodPost, eventsPath)
		synctest.Wait()
		s.send(http.MethodPatch, eventsPath+"/repeated")
		synctest.Wait()
		s.server.let <- ""
		if got := <-s.server.begun; got != eventsPath {
			t.Errorf("%s is under way, want the event", got)
		}
		select {
		case got := <-s.server.begun:
			t.Errorf("%s is under way before the event is stored", got)
		case <-time.After(eventTurn / 2):
		}
		close(s.server.let)
		<-s.server.begun
		s.wait(busyWith + 2)
	})
}

// TestEventThatHangs: an event that is not answered, as somebody's webhook may hang, keeps the others waiting for a moment only.
func TestEventThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, start := newSender(t), time.Now()
		for range 3 {
			s.send(http.MethodPost, eventsPath)
		}
		for i := range 3 {
			<-s.server.begun
			if waited, want := time.Since(start), time.Duration(i)*eventTurn; waited != want {
				t.Errorf("event %d waited for %s, want %s", i, waited, want)
			}
		}
		s.finish(3)
		s.send(http.MethodPost, eventsPath)
		<-s.server.begun
		s.send(http.MethodPost, eventsPath)
		<-s.server.begun
		if waited := time.Since(start); waited != 2*eventTurn {
			t.Errorf("events that are answered wait: %s", waited)
		}
		s.wait(2)
	})
}

// sender sends requests to a server, by way of a transport that lets events come last.
type sender struct {
	t      *testing.T
	server transport
	via    http.RoundTripper
	done   chan error
}

func newSender(t *testing.T) *sender {
	t.Helper()
	server := transport{begun: make(chan string), let: make(chan string)}
	return &sender{t, server, withEventsLast()(server), make(chan error)}
}

func (s *sender) send(method, path string) {
	go func() {
		_, err := s.via.RoundTrip(request(s.t.Context(), s.t, method, path)) //nolint:bodyclose // it has none
		s.done <- err
	}()
}

// finish lets the server answer, and waits for so many requests.
func (s *sender) finish(requests int) {
	close(s.server.let)
	s.wait(requests)
}

func (s *sender) wait(requests int) {
	for range requests {
		if err := <-s.done; err != nil {
			s.t.Error(err)
		}
	}
}
