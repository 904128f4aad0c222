package workload

import (
	"errors"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ErrBusy means that somebody else is already waiting for a workload cluster that is slow or hangs. It is wrapped in an UnreadableError, for callers
// that only display state. A caller that decides something must not take it for an answer, but retry after Soon.
var ErrBusy = errors.New("somebody waits for the workload cluster already")

const (
	// Any caller may wait four times as long as the last answer took, within these bounds. Most answers take a few milliseconds, and cached ones
	// less. A cluster that is far away must not count as one that hangs.
	shortest, longest = 50 * time.Millisecond, syncTimeout
	// hurried is the lower bound while no more callers may wait, because then many clusters hang.
	hurried = 10 * time.Millisecond
	// longestShort limits how long to try a cluster that hung while no more callers may wait. The time doubles after each failure, so a cluster
	// that has recovered is found even if it is slow and always misses the places of those that wait.
	longestShort = 500 * time.Millisecond
	// longestLive limits how long to try a cluster past the cache after it hung. The time begins with longest and doubles after each failure, so a
	// cluster that is always slow is read in the end.
	longestLive = 10 * time.Second
	// soon is how long callers with ErrBusy stay away, with a jitter of up to as much again.
	soon = 250 * time.Millisecond
)

// Soon returns how long to wait before a retry after ErrBusy. It differs each time, so that not all callers come back at once.
func Soon() time.Duration { return wait.Jitter(soon, 1) }

// lines lets one caller at a time wait for a slow cluster, and a few for all slow clusters together. Others get an error at once, since a worker
// that waits keeps other clusters waiting, too.
type lines struct {
	mu sync.Mutex
	of map[path]*line
	// waiting, retrying and probing count the callers that are waiting now.
	waiting, retrying, probing int
}

// line is the state of one path to one cluster.
type line struct {
	// taken reports whether a caller has taken the line and may wait.
	taken bool
	// since is when that caller began.
	since time.Time
	// took is how long the last answer took.
	took time.Duration
	// missed counts how often in a row somebody has waited in vain for a short time; again is when the next caller may.
	missed int
	again  time.Time
	// tried counts the failed tries in a row after the cluster hung.
	tried int
}

// turn is the permission of one caller to read.
type turn struct {
	*line

	// first reports whether the caller has taken the line.
	first bool
	// pool is the counter that includes the caller; nil means that it may not wait for long.
	pool *int
	// patient reports whether the caller may wait as long as it likes, or for probe if the cluster has hung; others have a limit.
	patient bool
	hung    bool
	limit   time.Duration
	probe   time.Duration
	begun   time.Time
}

// enter reports whether a caller may read. At most that many may wait at once for clusters that have not hung, and half as many for the others; 0
// means that all may wait. If a cluster has hung, one caller may read it at a time. A cluster that was slow once may only have paused, so one
// caller at a time may try it again for a short time, even if no more may wait: less and less often, since it may as well hang.
func (l *lines) enter(by path, hung bool, most int, now time.Time) (turn, bool) {
	if most == 0 {
		return turn{patient: true}, true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	at, pool := l.at(by), &l.waiting
	if hung {
		pool, most = &l.probing, max(1, most/2)
	}
	room := *pool < most
	mine := turn{line: at, hung: hung, limit: at.limit(room), probe: min(longest<<min(at.tried, 8), longestLive), begun: now}
	switch {
	case mine.behindOther(now):
		return turn{}, false
	case !at.taken && room:
		*pool++
		mine.pool, mine.patient = pool, true
	case hung:
		mine.limit = max(mine.limit, min(longestShort, mine.limit<<min(at.missed, 10)))
	case at.missed == 0:
	case l.mayRetry(at, most, now):
		l.retrying++
		mine.pool, mine.limit = &l.retrying, at.limit(true)
	default:
		return turn{}, false
	}
	if mine.pool != nil || hung {
		mine.first, at.taken, at.since = true, true, now
	}
	return mine, true
}

// behindOther reports whether another caller has taken the line for so long that there is no answer to expect.
func (t turn) behindOther(now time.Time) bool {
	return t.taken && (t.hung || now.Sub(t.since) >= t.limit)
}

// mayRetry reports whether a caller may try a cluster that was slow again, although no more may wait.
func (l *lines) mayRetry(at *line, most int, now time.Time) bool {
	return !at.taken && !now.Before(at.again) && l.retrying < at.retries(most)
}

// retries returns how many may try again at once. A place is left for those that were slow only once: most clusters that hang were so more often.
func (l *line) retries(most int) int {
	if l.missed == 1 {
		return max(1, most/2)
	}
	return max(1, most/4)
}

// limit returns how long a caller may wait.
func (l *line) limit(room bool) time.Duration {
	least := shortest
	if !room {
		least = hurried
	}
	return min(longest, max(least, 4*l.took))
}

func (l *lines) at(by path) *line {
	if l.of == nil {
		l.of = map[path]*line{}
	}
	if l.of[by] == nil {
		l.of[by] = &line{}
	}
	return l.of[by]
}

// within returns how long a caller may read; 0 means until the caller's own deadline.
func (t turn) within(by path) time.Duration {
	switch {
	case !t.patient:
		return t.limit
	case !by.live:
		return syncTimeout
	case t.hung:
		return t.probe
	}
	return 0
}

// leave ends a turn. inVain means that the cluster did not answer in the caller's time.
func (l *lines) leave(t turn, inVain bool, now time.Time) {
	if t.line == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case !inVain:
		t.took, t.tried, t.missed = now.Sub(t.begun), 0, 0
	case t.hung && t.patient:
		t.tried++
	case t.hung:
		t.missed++
	case t.patient:
		// From now on, the cluster counts as hanging.
		t.missed = 0
	case !now.Before(t.again):
		t.again = now.Add(soon << min(2*t.missed, 5))
		t.missed++
	}
	if t.first {
		t.taken = false
	}
	if t.pool != nil {
		*t.pool--
	}
}

// forget drops the state of a cluster that is gone.
func (l *lines) forget(cluster client.ObjectKey) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.of, path{cluster: cluster})
	delete(l.of, path{cluster: cluster, live: true})
}
