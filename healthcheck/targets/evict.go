package targets

import "time"

// The callers of these methods hold the lock. Clients has its own cache, because it needs
// both a clock and a hook for evictions; libraries offer only one of them. It scans all
// targets, since there are few.

// drop removes a target.
func (c *Clients[T]) drop(key string) {
	c.targets[key].retire()
	delete(c.targets, key)
	clientsNow.Dec()
}

// evict removes a target and counts the reason.
func (c *Clients[T]) evict(key, reason string) {
	c.drop(key)
	evictedTotal.WithLabelValues(reason).Inc()
}

// dropIdle removes the targets that were unused for the idle time.
func (c *Clients[T]) dropIdle() {
	now := c.Clock.Now()
	for key, t := range c.targets {
		if !now.Before(t.lastUse().Add(c.IdleTime)) {
			c.evict(key, evictedIdle)
		}
	}
}

// dropOldest removes the target that has been unused for longest.
func (c *Clients[T]) dropOldest() {
	var (
		oldest string
		used   time.Time
	)
	for key, t := range c.targets {
		if at := t.lastUse(); used.IsZero() || at.Before(used) {
			oldest, used = key, at
		}
	}
	c.evict(oldest, evictedFull)
}
