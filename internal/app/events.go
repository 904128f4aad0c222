package app

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	// busyWith is how many other requests under way make an event wait. A repair alone makes fewer at once, a storm many more.
	busyWith = 8
	// eventPatience is how long an event waits at most for other requests: these may hang, and a storm may take minutes.
	eventPatience = 50 * time.Millisecond
	// longestTurn is how long the next event waits at most for the answer to the one before. Somebody's webhook may hang in one namespace.
	longestTurn = time.Second
)

// eventsLast sends one event at a time, and lets verdicts and repairs go first. Each event has its own goroutine, so for a thousand
// machines that fall sick at once, a thousand requests would compete with the few verdicts and repairs in progress. It drops no event, but
// events still waiting at the end of the process are lost.
type eventsLast struct {
	next http.RoundTripper
	// turn has room for one: a change of an event must not overtake the event, unless that is left behind unanswered.
	turn   chan struct{}
	others *others
}

// withEventsLast wraps transports. All of them share the turn.
func withEventsLast() func(http.RoundTripper) http.RoundTripper {
	turn, others := make(chan struct{}, 1), newOthers()
	return func(next http.RoundTripper) http.RoundTripper { return eventsLast{next, turn, others} }
}

func (e eventsLast) RoundTrip(req *http.Request) (*http.Response, error) {
	if !writesEvent(req) {
		e.others.begin()
		defer e.others.end()
		return e.next.RoundTrip(req)
	}
	select {
	case e.turn <- struct{}{}:
	case <-req.Context().Done():
		// A RoundTripper must close the body in any case.
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, context.Cause(req.Context())
	}
	// A change of an event does not wait: client-go makes some of them while it keeps all new events waiting.
	if req.Method == http.MethodPost {
		e.others.wait(eventPatience)
	}
	release := sync.OnceFunc(func() { <-e.turn })
	defer release()
	defer time.AfterFunc(longestTurn, release).Stop()
	return e.next.RoundTrip(req)
}

func writesEvent(req *http.Request) bool {
	// Proxies in front of API servers may prepend a path.
	return req.Method != http.MethodGet && strings.Contains(req.URL.Path, "/apis/events.k8s.io/")
}

// others counts the requests under way that are not events.
type others struct {
	mu      sync.Mutex
	running int
	// few is closed while there are few.
	few chan struct{}
}

func newOthers() *others {
	few := make(chan struct{})
	close(few)
	return &others{few: few}
}

func (o *others) begin() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.running++
	if o.running == busyWith {
		o.few = make(chan struct{})
	}
}

func (o *others) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.running == busyWith {
		close(o.few)
	}
	o.running--
}

// wait returns when there are few, or after a time.
func (o *others) wait(atMost time.Duration) {
	o.mu.Lock()
	few := o.few
	o.mu.Unlock()
	timer := time.NewTimer(atMost)
	defer timer.Stop()
	select {
	case <-few:
	case <-timer.C:
	}
}
