package app

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	// eventsAtOnce is how many events are sent at once. Each takes a few milliseconds.
	eventsAtOnce = 2
	// busyWith is how many other requests under way make events wait. A repair alone makes fewer at once, a storm many more.
	busyWith = 8
	// eventPatience is how long the next event waits at most for other requests: these may hang.
	eventPatience = 200 * time.Millisecond
)

// eventsLast limits how many events are sent at once, and lets verdicts and repairs go first. Each event has its own goroutine, so for a
// thousand machines that fall sick at once, a thousand requests would compete with the few verdicts and repairs in progress. It drops no
// event, but events still waiting at the end of the process are lost.
type eventsLast struct {
	next   http.RoundTripper
	slots  chan struct{}
	others *others
}

// withEventsLast wraps transports. All of them share the limit.
func withEventsLast() func(http.RoundTripper) http.RoundTripper {
	slots, others := make(chan struct{}, eventsAtOnce), &others{}
	return func(next http.RoundTripper) http.RoundTripper { return eventsLast{next, slots, others} }
}

func (e eventsLast) RoundTrip(req *http.Request) (*http.Response, error) {
	if !writesEvent(req) {
		e.others.begin()
		defer e.others.end()
		return e.next.RoundTrip(req)
	}
	select {
	case e.slots <- struct{}{}:
	case <-req.Context().Done():
		return giveUp(req)
	}
	defer func() { <-e.slots }()
	patience := time.NewTimer(eventPatience)
	defer patience.Stop()
	select {
	case <-e.others.few():
	case <-patience.C:
	case <-req.Context().Done():
		return giveUp(req)
	}
	return e.next.RoundTrip(req)
}

// giveUp ends a request that has not been sent. A RoundTripper must close the body in any case.
func giveUp(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		_ = req.Body.Close()
	}
	return nil, context.Cause(req.Context())
}

func writesEvent(req *http.Request) bool {
	// Proxies in front of API servers may prepend a path.
	return req.Method != http.MethodGet && strings.Contains(req.URL.Path, "/apis/events.k8s.io/")
}

// others counts the requests under way that are not events. The zero value is ready to use.
type others struct {
	mu      sync.Mutex
	running int
	// fewer is closed when there are few; nil if there are few now.
	fewer chan struct{}
}

func (o *others) begin() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.running++
	if o.running == busyWith {
		o.fewer = make(chan struct{})
	}
}

func (o *others) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.running == busyWith {
		close(o.fewer)
		o.fewer = nil
	}
	o.running--
}

// always is a closed channel.
var always = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// few returns a channel that is closed as soon as few requests are under way.
func (o *others) few() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.fewer == nil {
		return always
	}
	return o.fewer
}
