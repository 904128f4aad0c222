package workload

import (
	"context"
	"errors"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ErrBusy means that a workload cluster may answer, but not in the time of this caller. It is wrapped in an UnreadableError, for callers that
// only display state. A caller that decides something must not take it for an answer, but retry after Soon.
var ErrBusy = errors.New("the workload cluster takes longer than a worker may wait")

const (
	// quick is how long a caller may wait for any cluster; most answers take a few milliseconds. A cluster that is far away must not count as one
	// that hangs, so a few callers may wait twice as long as its last answer took.
	quick = 50 * time.Millisecond
	// soon is how long callers with ErrBusy stay away, with a jitter of up to as much again.
	soon = 250 * time.Millisecond
)

// Soon returns how long to wait before a retry after ErrBusy. It differs each time, so that not all callers come back at once.
func Soon() time.Duration { return wait.Jitter(soon, 1) }

// lines bounds how long callers wait, since a worker that waits keeps other clusters waiting, too. If a cluster misses a caller's time, one trial
// in the background gives it as long as a cluster may take, and callers are sent away meanwhile. If it misses that, too, it hangs.
type lines struct {
	mu sync.Mutex
	of map[path]*line
	// waiting counts the callers that may wait for longer than quick.
	waiting int
}

// line is the state of one path to one cluster.
type line struct {
	// took is how long the last answer took; 0 if that is unknown.
	took time.Duration
	// waiting counts its callers that may wait for longer than quick.
	waiting int
	// tried reports whether a trial is under way.
	tried bool
	// hangs is until when reads fail at once because the cluster hangs; after that, one caller at a time begins a trial.
	hangs time.Time
}

// turn is the permission of one caller to read.
type turn struct {
	*line

	begun time.Time
	limit time.Duration
	// waits says that the caller is one of those that are waiting, and tries that it makes a trial.
	waits, tries bool
	// late is what the caller is told if the cluster misses its time.
	late error
}

// enter lets a caller read, or sends it away with an error. At most that many callers may wait for longer than quick, and no more than half of them
// by one path, as a cluster with many callers would take all places; 0 means that all may wait for as long as a cluster may take.
func (l *lines) enter(by path, most int, now time.Time) (turn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of == nil {
		l.of = map[path]*line{}
	}
	at := l.of[by]
	if at == nil {
		at = &line{}
		l.of[by] = at
	}
	mine := turn{line: at, begun: now, limit: min(max(quick, 2*at.took), by.longest()), late: ErrBusy}
	if !at.hangs.IsZero() {
		mine.tries, mine.late = true, context.DeadlineExceeded
	}
	switch {
	case now.Before(at.hangs), at.tried:
		return turn{}, noAnswer(mine.late)
	case most == 0:
		mine.limit = by.longest()
	case mine.limit > quick && (l.waiting >= most || at.waiting >= max(1, most/2)):
		return turn{}, noAnswer(ErrBusy)
	case mine.limit > quick:
		l.waiting++
		at.waiting++
		mine.waits = true
	}
	at.tried = mine.tries
	return mine, nil
}

// leave ends a turn, and reports whether a trial must follow.
func (l *lines) leave(by path, t turn, err error, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.waits {
		l.waiting--
		t.waiting--
	}
	switch late := timedOut(err); {
	case throttled(err), errors.Is(err, context.Canceled):
		// That says nothing about the cluster.
	case late && t.limit < by.longest():
		follows := t.tries || !t.tried
		t.tried = true
		return follows
	case late:
		t.took, t.hangs = 0, now.Add(wait.Jitter(hangBackoff, 0.5))
	default:
		t.took, t.hangs = now.Sub(t.begun), time.Time{}
	}
	t.tried = t.tried && !t.tries
	return false
}

// forget drops the state of a cluster that is gone.
func (l *lines) forget(cluster client.ObjectKey) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.of, path{cluster: cluster})
	delete(l.of, path{cluster: cluster, live: true})
}

// answers records that a cluster does not hang.
func (l *lines) answers(cluster client.ObjectKey) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, live := range []bool{false, true} {
		if at := l.of[path{cluster, live}]; at != nil {
			at.hangs = time.Time{}
		}
	}
}
