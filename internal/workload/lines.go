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
	// that hangs, so a few callers may wait twice as long as its last answers took.
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
}

// callers are workers that must not all wait for slow clusters.
type callers struct {
	// most is how many of them may wait for longer than quick, half of them for one cluster; 0 means that all may wait for as long as a cluster may take.
	most int
	*waiting
}

// waiting counts the callers that may wait for longer than quick, all together and by path. The mutex of the lines guards it.
type waiting struct {
	all int
	by  map[path]int
}

// line is the state of one path to one cluster.
type line struct {
	// took is how long the last answer took, or one before it that took much longer: in a storm, a cluster answers now soon, now late, and a read
	// that is given up too early is made again. 0 means that it is unknown.
	took time.Duration
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
	// waits counts the caller if it may wait for longer than quick, and tries says that it makes a trial.
	waits *waiting
	tries bool
	// late is what the caller is told if the cluster misses its time.
	late error
}

// enter lets one of the callers read, or sends it away with an error.
func (l *lines) enter(by path, who callers, now time.Time) (turn, error) {
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
	case who.most == 0:
		mine.limit = by.longest()
	case mine.limit > quick:
		if !who.wait(by) {
			return turn{}, noAnswer(ErrBusy)
		}
		mine.waits = who.waiting
	}
	at.tried = mine.tries
	return mine, nil
}

// wait counts one more that waits by a path, unless too many do: a cluster with many callers would take all places.
func (c callers) wait(by path) bool {
	if c.all >= c.most || c.by[by] >= max(1, c.most/2) {
		return false
	}
	if c.by == nil {
		c.by = map[path]int{}
	}
	c.all++
	c.by[by]++
	return true
}

func (w *waiting) done(by path) {
	w.all--
	if w.by[by]--; w.by[by] == 0 {
		delete(w.by, by)
	}
}

// leave ends a turn, and reports whether a trial must follow.
func (l *lines) leave(by path, t turn, err error, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.waits != nil {
		t.waits.done(by)
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
		t.took, t.hangs = max(now.Sub(t.begun), t.took-t.took/8), time.Time{}
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
