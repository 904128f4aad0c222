// Package contest notices that somebody else writes the engine's conditions, too, and has the engine give way: the first
// few times it answers at once, then after a time that doubles. It only delays writes; no verdict depends on it, so a
// restart changes none.
package contest

import (
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// free is how often an overwritten condition is written again at once: people edit by hand, and some controllers once
	// replace a whole status.
	free = 3
	// firstPause is how long the engine gives way after that. It doubles each time, up to lastPause.
	firstPause = 10 * time.Second
	lastPause  = 10 * time.Minute
	// quiet is how long after a pause a contest is over if nobody has overwritten the condition again.
	quiet = time.Minute
)

// Absent is the digest of a condition that is not there.
const Absent = uint64(0)

// Left is a condition as a write left it. The digest stands for its content.
type Left struct {
	Type   string
	Digest uint64
}

// Overwritten is a condition that is not as the engine left it.
type Overwritten struct {
	Type string
	// Pause is how long the engine gives way; zero if it answers at once. News says that it begins to.
	Pause time.Duration
	News  bool
}

// Contests are those of all objects. The zero value is ready to use and safe for concurrent use.
type Contests struct {
	mu sync.Mutex
	of map[client.ObjectKey]*object
}

type object struct {
	uid    types.UID
	left   []Left
	fights []fight
}

// fight is a contest about one condition type.
type fight struct {
	conditionType string
	times         int
	last, until   time.Time
}

// Wrote remembers how a write left conditions of an object.
func (c *Contests) Wrote(obj client.Object, left ...Left) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one := c.object(obj)
	for _, l := range left {
		one.left = append(slices.DeleteFunc(one.left, func(old Left) bool { return old.Type == l.Type }), l)
	}
}

// Look compares an object with what the engine left. It returns each condition that was overwritten since the last look.
func (c *Contests) Look(obj client.Object, now time.Time, digest func(conditionType string) uint64) []Overwritten {
	c.mu.Lock()
	defer c.mu.Unlock()
	one := c.of[client.ObjectKeyFromObject(obj)]
	if one == nil || one.uid != obj.GetUID() {
		return nil
	}
	var found []Overwritten
	one.left = slices.DeleteFunc(one.left, func(l Left) bool {
		if digest(l.Type) == l.Digest {
			return false
		}
		found = append(found, one.overwritten(l.Type, now))
		return true
	})
	one.fights = slices.DeleteFunc(one.fights, func(f fight) bool { return f.isOver(now) })
	return found
}

// Yields returns the condition types that must not be written now, and when that changes first.
func (c *Contests) Yields(obj client.Object, now time.Time) (types []string, until time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one := c.of[client.ObjectKeyFromObject(obj)]
	if one == nil || one.uid != obj.GetUID() {
		return nil, time.Time{}
	}
	for _, f := range one.fights {
		if now.Before(f.until) {
			types = append(types, f.conditionType)
			if until.IsZero() || f.until.Before(until) {
				until = f.until
			}
		}
	}
	return types, until
}

// Forget drops an object that is gone.
func (c *Contests) Forget(key client.ObjectKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.of, key)
}

// object returns what is kept of an object. The caller holds the lock.
func (c *Contests) object(obj client.Object) *object {
	key := client.ObjectKeyFromObject(obj)
	one := c.of[key]
	if one == nil || one.uid != obj.GetUID() {
		one = &object{uid: obj.GetUID()}
		if c.of == nil {
			c.of = map[client.ObjectKey]*object{}
		}
		c.of[key] = one
	}
	return one
}

// overwritten counts that a condition was overwritten.
func (o *object) overwritten(conditionType string, now time.Time) Overwritten {
	i := slices.IndexFunc(o.fights, func(f fight) bool { return f.conditionType == conditionType })
	if i < 0 || o.fights[i].isOver(now) {
		o.fights = append(slices.DeleteFunc(o.fights, func(f fight) bool { return f.conditionType == conditionType }), fight{conditionType: conditionType})
		i = len(o.fights) - 1
	}
	f := &o.fights[i]
	f.times++
	f.last = now
	pause := pauseAfter(f.times)
	f.until = now.Add(pause)
	return Overwritten{Type: conditionType, Pause: pause, News: f.times == free+1}
}

// isOver reports whether nobody has overwritten the condition for long enough.
func (f fight) isOver(now time.Time) bool {
	return now.Sub(f.last) > 2*pauseAfter(f.times)+quiet
}

// pauseAfter returns how long to give way after a condition was overwritten a number of times.
func pauseAfter(times int) time.Duration {
	if times <= free {
		return 0
	}
	return min(firstPause<<min(times-free-1, 16), lastPause)
}
