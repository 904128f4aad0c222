package app

import (
	"context"
	"net/http"
	"strings"
)

// eventsAtOnce is how many events are sent at once. Each takes a few milliseconds.
const eventsAtOnce = 2

// eventsInTurn limits how many events are sent at once. Each event has its own goroutine, so for a thousand machines that
// fall sick at once, a thousand requests would compete with the few verdicts and remedies in progress. It drops no event,
// but events still waiting at the end of the process are lost.
type eventsInTurn struct {
	next  http.RoundTripper
	slots chan struct{}
}

// withEventsInTurn wraps transports. All of them share the limit.
func withEventsInTurn() func(http.RoundTripper) http.RoundTripper {
	slots := make(chan struct{}, eventsAtOnce)
	return func(next http.RoundTripper) http.RoundTripper { return eventsInTurn{next, slots} }
}

func (e eventsInTurn) RoundTrip(req *http.Request) (*http.Response, error) {
	if !writesEvent(req) {
		return e.next.RoundTrip(req)
	}
	select {
	case e.slots <- struct{}{}:
	case <-req.Context().Done():
		// A RoundTripper must close the body in any case.
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, context.Cause(req.Context())
	}
	defer func() { <-e.slots }()
	return e.next.RoundTrip(req)
}

func writesEvent(req *http.Request) bool {
	// Proxies in front of API servers may prepend a path.
	return req.Method != http.MethodGet && strings.Contains(req.URL.Path, "/apis/events.k8s.io/")
}
