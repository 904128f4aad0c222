package workload

import (
	"context"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// failure says when the Nodes of a cluster could not be read by a path, with no success in between.
type failure struct{ since, last time.Time }

// outdatedAfter is for how long a live read that failed counts if no other follows. It is longer than the default sync period.
const outdatedAfter = 15 * time.Minute

// outdated reports whether a failure says nothing about now. Machines are read from the cache all the time, but live reads are rare: one that failed
// days ago must not take the grace period from machines.
func (f failure) outdated(live bool, now time.Time) bool {
	return live && now.Sub(f.last) > outdatedAfter
}

// fails records that a read failed.
func (c *Clusters) fails(by path) {
	now := c.Clock.Now()
	for {
		known, loaded := c.failing.LoadOrStore(by, failure{now, now})
		if !loaded {
			return
		}
		next := failure{known.(failure).since, now}
		if known.(failure).outdated(by.live, now) {
			next.since = now
		}
		if c.failing.CompareAndSwap(by, known, next) {
			return
		}
	}
}

// LastSeen implements Nodes.
func (c *Clusters) LastSeen(ctx context.Context, cluster client.ObjectKey) time.Time {
	seen := c.Cache.GetHealthCheckingState(ctx, cluster).LastProbeSuccessTime
	if seen.IsZero() {
		seen = c.Started
	}
	// A probe reads no Nodes. A cluster may answer probes for ever and yet refuse to list Nodes, or to get one that the cache misses.
	if since, fails := c.failingSince(cluster); fails && since.Before(seen) {
		return since
	}
	return seen
}

// failingSince returns since when the Nodes of a cluster cannot be read from the cache, or else live.
func (c *Clusters) failingSince(cluster client.ObjectKey) (since time.Time, fails bool) {
	for _, live := range []bool{false, true} {
		if one, fails := c.failing.Load(path{cluster, live}); fails && !one.(failure).outdated(live, c.Clock.Now()) {
			return one.(failure).since, true
		}
	}
	return time.Time{}, false
}

// Start implements manager.Runnable: it forgets since when clusters could not be read. A standby reads Nodes only for its dashboard, so it
// does not know whether they could be read meanwhile.
func (c *Clusters) Start(context.Context) error {
	c.failing.Clear()
	return nil
}
