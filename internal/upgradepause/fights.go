package upgradepause

import (
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// mostAnew is how often a pause is written anew for the same upgrades before that is done less and less often.
	mostAnew = 3
	// shortTruce is how long a pause is not written anew then; it doubles up to longTruce.
	shortTruce = time.Minute
	longTruce  = 10 * time.Minute
)

// Lost says how often a MachineHealthCheck has lost all that a pause had written, although the upgrade went on. A program that
// replaces all annotations takes them away each time.
type Lost struct {
	// Count is how often the pause was written anew.
	Count int
	// At is when it was written last.
	At time.Time
}

// truce is when a pause may be written anew; zero if at once.
func (l Lost) truce() time.Time {
	if l.Count < mostAnew {
		return time.Time{}
	}
	wait := shortTruce
	for range l.Count - mostAnew {
		wait = min(2*wait, longTruce)
	}
	return l.At.Add(wait)
}

// fights remembers what MachineHealthChecks have lost, so that nobody is fought for ever. It only delays pauses: a restart begins
// anew. The zero value is ready; it is safe for concurrent use.
type fights struct {
	mu sync.Mutex
	by map[client.ObjectKey]fight
}

type fight struct {
	upgrades  string
	lost      Lost
	announced bool
}

// of returns what was lost during some upgrades.
func (s *fights) of(key client.ObjectKey, upgrades string) Lost {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.by[key]; one.upgrades == upgrades {
		return one.lost
	}
	return Lost{}
}

// paused notes that a pause was written.
func (s *fights) paused(key client.ObjectKey, upgrades string, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.by == nil {
		s.by = map[client.ObjectKey]fight{}
	}
	one, known := s.by[key]
	if !known || one.upgrades != upgrades {
		s.by[key] = fight{upgrades: upgrades, lost: Lost{At: at}}
		return
	}
	one.lost = Lost{Count: one.lost.Count + 1, At: at}
	s.by[key] = one
}

// isNews reports whether nobody has been told of a fight yet.
func (s *fights) isNews(key client.ObjectKey) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.by[key]
	if one.announced {
		return false
	}
	one.announced = true
	s.by[key] = one
	return true
}

func (s *fights) forget(key client.ObjectKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.by, key)
}
