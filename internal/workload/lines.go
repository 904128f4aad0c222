package workload

import (
	"errors"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ErrBusy says that somebody waits for a workload cluster already, which is slow or hangs. It is in an UnreadableError, for those who only show
// what they see. Who has a decision to make comes back Soon, and does not take it for an answer.
var ErrBusy = errors.New("somebody waits for the workload cluster already")

const (
	// Anybody may wait four times as long as the last answer has taken, within these bounds. Most take a few milliseconds, and those of the
	// cache less; a cluster far away is no cluster that hangs.
	shortest, longest = 50 * time.Millisecond, syncTimeout
	// hurried is the shortest time while as many wait as may: then many clusters hang.
	hurried = 10 * time.Millisecond
	// longestLive bounds how long a cluster that has hung is tried past the cache. It begins with longest, and doubles each time in vain: one that
	// always takes its time, too, is read in the end.
	longestLive = 10 * time.Second
	// soon is how long those stay away who were not let in, and at most as long again.
	soon = 250 * time.Millisecond
)

// Soon is when to come back after ErrBusy. It differs each time, so that not all come at once.
func Soon() time.Duration { return wait.Jitter(soon, 1) }

// lines has one caller at a time wait for a cluster that is slow, and a few for all of those. The others are sent away, as a worker that
// waits keeps other clusters waiting, too.
type lines struct {
	mu sync.Mutex
	of map[path]*line
	// waiting and probing are how many wait now.
	waiting, probing int
}

// line is about one way to one cluster.
type line struct {
	// taken says that one caller may wait.
	taken bool
	// since is when that caller began.
	since time.Time
	// took is how long the last answer has taken.
	took time.Duration
	// slow says that somebody has waited in vain, although not for long.
	slow bool
	// tried is how often in a row it was tried in vain after it had hung.
	tried int
}

// turn is what a caller may do.
type turn struct {
	*line

	// first says that the caller has taken the line.
	first bool
	// pool is what the caller counts in; nil means that it may not wait for long.
	pool *int
	// patient says that the caller may wait as long as it likes, or until the end of probe if the cluster has hung; the others have a limit.
	patient bool
	hung    bool
	limit   time.Duration
	probe   time.Duration
	begun   time.Time
}

// enter reports whether a caller may read. So many may wait at once for clusters that have not hung before, and half as many for the others; 0 means
// that all may wait. Of a cluster that has hung, one may read at a time.
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
	case at.taken && (hung || now.Sub(at.since) >= mine.limit):
		return turn{}, false
	case !at.taken && room:
		*pool++
		mine.pool, mine.patient = pool, true
	case at.slow && !hung:
		return turn{}, false
	}
	if mine.patient || hung {
		mine.first, at.taken, at.since = true, true, now
	}
	return mine, true
}

// limit is how long anybody may wait.
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

// within is how long a caller may read; 0 leaves that to the caller.
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

// leave ends a turn. In vain says that the cluster has not answered in the time that the caller had.
func (l *lines) leave(t turn, inVain bool, now time.Time) {
	if t.line == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	// What the first one has found out in all its time is known otherwise.
	t.slow = inVain && !t.first
	if !inVain {
		t.took, t.tried = now.Sub(t.begun), 0
	} else if t.hung && t.patient {
		t.tried++
	}
	if t.first {
		t.taken = false
	}
	if t.pool != nil {
		*t.pool--
	}
}

// forget drops what is kept for a cluster that is gone.
func (l *lines) forget(cluster client.ObjectKey) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.of, path{cluster: cluster})
	delete(l.of, path{cluster: cluster, live: true})
}
