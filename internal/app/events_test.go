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
	proxied := []string{"", "/k8s/clusters/behind-a-proxy"}
	for i := range eventsAtOnce {
		send(one, http.MethodPost, proxied[i%len(proxied)]+eventsPath)
		<-server.begun
	}
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
	for range eventsAtOnce + 3 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// TestEventGivesUp: no event waits for ever, for example at the end of the process.
func TestEventGivesUp(t *testing.T) {
	server := transport{begun: make(chan string), let: make(chan string)}
	events := withEventsLast()(server)
	for range eventsAtOnce {
		go func() {
			_, _ = events.RoundTrip(request(t.Context(), t, http.MethodPost, eventsPath)) //nolint:bodyclose // it has none
		}()
		<-server.begun
	}
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

// TestEventsWaitForRepairs: while many other requests are under way, an event waits for them, but not for long: they may hang.
func TestEventsWaitForRepairs(t *testing.T) {
	for name, hang := range map[string]bool{"they end": false, "they hang": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := transport{begun: make(chan string), let: make(chan string)}
				via, start := withEventsLast()(server), time.Now()
				done := make(chan error, busyWith+1)
				send := func(method, path string) {
					go func() {
						_, err := via.RoundTrip(request(t.Context(), t, method, path)) //nolint:bodyclose // it has none
						done <- err
					}()
				}
				for range busyWith {
					send(http.MethodPatch, machinesPath)
					<-server.begun
				}
				send(http.MethodPost, eventsPath)
				synctest.Wait()
				if !hang {
					time.Sleep(eventPatience / 2)
					server.let <- ""
				}
				if got := <-server.begun; got != eventsPath {
					t.Errorf("%s is under way, want the event", got)
				}
				want := map[bool]time.Duration{true: eventPatience, false: eventPatience / 2}[hang]
				if waited := time.Since(start); waited != want {
					t.Errorf("the event waited for %s, want %s", waited, want)
				}
				close(server.let)
				for range busyWith + 1 {
					if err := <-done; err != nil {
						t.Error(err)
					}
				}
			})
		})
	}
}

// TestEventsOfOneRepair: beside a single repair, no event waits, also after many requests have come and gone.
func TestEventsOfOneRepair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var requests others
		for range 3 * busyWith {
			requests.begin()
		}
		for range 2*busyWith + 1 {
			requests.end()
		}
		start := time.Now()
		<-requests.few()
		if waited := time.Since(start); waited != 0 {
			t.Errorf("an event waited for %s", waited)
		}
	})
}
