package targets

import "time"

// The callers of these methods hold the lock. Clients is its own cache: those of libraries
// take either a clock or a hook for what they evict, and this one needs both. It looks at all
// targets, since there are few.

// drop forgets a target.
func (c *Clients[T]) drop(key string) {
	c.targets[key].retire()
	delete(c.targets, key)
	clientsNow.Dec()
}

// evict forgets a target, and counts why.
func (c *Clients[T]) evict(key, reason string) {
	c.drop(key)
	evictedTotal.WithLabelValues(reason).Inc()
}

// dropIdle forgets the targets that were not used for the idle time.
func (c *Clients[T]) dropIdle() {
	now := c.Clock.Now()
	for key, t := range c.targets {
		if !now.Before(t.lastUse().Add(c.IdleTime)) {
			c.evict(key, evictedIdle)
		}
	}
}

// dropOldest forgets the target that has not been used for the longest time.
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
