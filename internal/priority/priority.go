// Package priority makes requests to an API server wait for more important ones. In a storm the API server is the bottleneck: each verdict that it
// stores then delays a repair. So a request begins only while few requests run that are at least as important; the more important it is, the more
// may run. Telephone networks keep lines free for emergency calls in the same way.
//
// It is part of the manager, which decides what is important.
package priority

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Class describes requests that are equally important.
type Class struct {
	// Limit is how many requests of this class, and of more important ones, may run for another one of this class to begin.
	Limit int
	// Pace is how often a waiting request of this class begins in any case, so that none waits for ever: others may hang.
	Pace time.Duration
	// Most is how many requests of this class may run even at its pace; zero means any number. If they hang, more of them do not help, but fill
	// the API server.
	Most int
}

// Lines are the requests that run and wait. Create them with New.
type Lines struct {
	classes []Class

	mu sync.Mutex
	// running is how many requests of each class run.
	running []int
	// waiting has the requests of each class that wait, in order of arrival. A request may begin when its channel is closed.
	waiting [][]chan struct{}
	// paced says for which classes a timer runs.
	paced []bool
}

// New returns lines for classes of requests, the most important first.
func New(classes ...Class) *Lines {
	n := len(classes)
	return &Lines{classes: classes, running: make([]int, n), waiting: make([][]chan struct{}, n), paced: make([]bool, n)}
}

// Wrap returns a wrapper of transports that share the lines. The function classOf returns the index of a request's class. A request without a
// class waits for nobody, and nobody waits for it.
func (l *Lines) Wrap(classOf func(*http.Request) (class int, ok bool)) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper { return transport{next, l, classOf} }
}

type transport struct {
	next    http.RoundTripper
	lines   *Lines
	classOf func(*http.Request) (int, bool)
}

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	class, ok := t.classOf(req)
	if !ok {
		return t.next.RoundTrip(req)
	}
	if err := t.lines.begin(req.Context(), class); err != nil {
		// A RoundTripper must close the body in any case.
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, err
	}
	defer t.lines.end(class)
	return t.next.RoundTrip(req)
}

// begin waits until a request of a class may begin. Unless it returns an error, end must be called.
func (l *Lines) begin(ctx context.Context, class int) error {
	turn := l.join(class)
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
		l.leave(class, turn)
		return context.Cause(ctx)
	}
}

// join adds a request to its line, and returns the channel that is closed when it may begin.
func (l *Lines) join(class int) chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	turn := make(chan struct{})
	l.waiting[class] = append(l.waiting[class], turn)
	l.next()
	l.keepPace(class)
	return turn
}

// leave is for a request that gives up. If it was just allowed to begin, another one may.
func (l *Lines) leave(class int, turn chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.waiting[class], turn); i >= 0 {
		l.waiting[class] = slices.Delete(l.waiting[class], i, i+1)
		return
	}
	l.running[class]--
	l.next()
}

// end is for a request that has ended.
func (l *Lines) end(class int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running[class]--
	l.next()
}

// next lets as many requests begin as the limits allow, the most important first.
func (l *Lines) next() {
	ahead := 0
	for class, c := range l.classes {
		for ahead+l.running[class] < c.Limit && l.first(class) {
		}
		ahead += l.running[class]
	}
}

// first lets the first request of a class begin. It reports false if none waits, or if too many of the class run.
func (l *Lines) first(class int) bool {
	if most := l.classes[class].Most; len(l.waiting[class]) == 0 || (most > 0 && l.running[class] >= most) {
		return false
	}
	close(l.waiting[class][0])
	l.waiting[class] = l.waiting[class][1:]
	l.running[class]++
	return true
}

// keepPace lets one request of a class begin after its pace, and so on as long as some wait.
func (l *Lines) keepPace(class int) {
	if len(l.waiting[class]) == 0 || l.paced[class] {
		return
	}
	l.paced[class] = true
	time.AfterFunc(l.classes[class].Pace, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.paced[class] = false
		l.first(class)
		l.keepPace(class)
	})
}
