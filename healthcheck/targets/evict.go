package targets

import "time"

// The callers of these methods hold the lock. Kept caches have either a clock, or a
// hook for what they drop; here both are needed, and there are few targets.

// drop forgets a target.
func (c *Clients[T]) drop(key string) {
	c.targets[key].retire()
	delete(c.targets, key)
}

// dropIdle forgets the targets that were not used for the idle time.
func (c *Clients[T]) dropIdle() {
	now := c.Clock.Now()
	for key, t := range c.targets {
		if !now.Before(t.lastUse().Add(c.IdleTime)) {
			c.drop(key)
		}
	}
}

// dropOldest forgets the target that was not used for longest.
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
	c.drop(oldest)
}
