package remediation

import (
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// sweeps remember since when what records have left could not be taken back. A restart only has it tried for longer. The zero value
// is ready to use.
type sweeps struct {
	mu    sync.Mutex
	since map[client.ObjectKey]time.Time
}

// failed returns for how long it has failed.
func (s *sweeps) failed(record client.ObjectKey, now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.since == nil {
		s.since = map[client.ObjectKey]time.Time{}
	}
	since, ok := s.since[record]
	if !ok {
		since = now
		s.since[record] = now
	}
	return now.Sub(since)
}

// Forget drops what is known of a record.
func (s *sweeps) Forget(record client.ObjectKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.since, record)
}
