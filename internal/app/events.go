package app

import (
	"context"
	"net/http"
	"strings"
)

// eventsAtOnce is how many events are under way at once. A single one takes a few milliseconds.
const eventsAtOnce = 2

// eventsInTurn has events wait for each other. Each is sent by a goroutine of its own, so that a thousand machines that
// fall sick at once would have a thousand of them compete with the verdicts and remedies that they tell of, of which a few
// are under way at once. None is dropped for it; those that wait when the process ends go with it.
type eventsInTurn struct {
	next  http.RoundTripper
	slots chan struct{}
}

// withEventsInTurn wraps a transport. All that it wraps have their turns together.
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
		// A RoundTripper has to close it, whatever happens.
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, context.Cause(req.Context())
	}
	defer func() { <-e.slots }()
	return e.next.RoundTrip(req)
}

func writesEvent(req *http.Request) bool {
	// Proxies in front of API servers put a path of their own before this.
	return req.Method != http.MethodGet && strings.Contains(req.URL.Path, "/apis/events.k8s.io/")
}
