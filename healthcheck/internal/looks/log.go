package looks

import (
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Log knows of each object when it was last looked at, and what has happened since. The zero value is ready to use and
// safe for concurrent use.
type Log struct {
	mu sync.Mutex
	of map[client.ObjectKey]entry
}

type entry struct {
	// at is when the last look began.
	at time.Time
	// event says that something has happened since, and later is until when an announced event may come.
	event bool
	later time.Time
	// asked is the delay that the last look asked for.
	asked time.Duration
}

// Look is a look that has begun.
type Look struct {
	// Timer says that nothing has happened since the last look: the time that it asked for has come.
	Timer bool

	before entry
}

// Begin begins a look at an object, unless the last one began less than floor ago; then it returns how long to wait, and
// changes nothing. It must be called before the object is read, so that an event after that leads to another look.
func (l *Log) Begin(key client.ObjectKey, now time.Time, floor time.Duration) (Look, time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.of[key]
	if wait := before.at.Add(floor).Sub(now); !before.at.IsZero() && wait > 0 {
		return Look{}, min(wait, floor)
	}
	next := entry{at: now, later: before.later}
	timer := !before.at.IsZero() && !before.event && before.later.IsZero()
	if now.After(next.later) {
		next.later = time.Time{}
	}
	l.set(key, next)
	return Look{Timer: timer, before: before}, 0
}

// Undo says that a look did not take place after all.
func (l *Log) Undo(key client.ObjectKey, look Look) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.of[key]
	look.before.event = look.before.event || now.event
	if now.later.After(look.before.later) {
		look.before.later = now.later
	}
	l.set(key, look.before)
}

// Event says that something has happened that the object's verdict may depend on.
func (l *Log) Event(key client.ObjectKey) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.of[key]
	e.event = true
	l.set(key, e)
}

// Pending reports whether something has happened since the last look began.
func (l *Log) Pending(key client.ObjectKey) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.of[key].event
}

// Ask says how soon the controller is about to ask for the next look. Delayed tells that request from an event.
func (l *Log) Ask(key client.ObjectKey, after time.Duration) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.of[key]
	e.asked = after
	l.set(key, e)
	return after
}

// Delayed says that a look at the object was asked for, after a while. Unless a look asked for it (see Ask), it is for an
// event that somebody delays.
func (l *Log) Delayed(key client.ObjectKey, after time.Duration, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.of[key]
	if e.asked == after {
		e.asked = 0
	} else if at := now.Add(after); at.After(e.later) {
		e.later = at
	}
	l.set(key, e)
}

// Forget drops an object that is gone.
func (l *Log) Forget(key client.ObjectKey) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.of, key)
}

func (l *Log) set(key client.ObjectKey, e entry) {
	if l.of == nil {
		l.of = map[client.ObjectKey]entry{}
	}
	l.of[key] = e
}
