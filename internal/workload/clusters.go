package workload

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/clock"
	"sigs.k8s.io/cluster-api/controllers/clustercache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// syncTimeout is how long a read waits for the Nodes of a cluster to arrive in the cache for the first time. A Machine that was too early
	// is looked at again when the Nodes arrive.
	syncTimeout = 2 * time.Second
	// liveTimeout is how long a read past the cache waits for an answer.
	liveTimeout = 5 * time.Second
	// hangBackoff is how long, at least, reads fail at once after a cluster did not answer in time, so that its Machines do not occupy the
	// workers that others need. A jitter of up to half as much again keeps clusters that hang together from being retried at the same moment.
	hangBackoff = 10 * time.Second
)

// Clusters reads Nodes through Cluster API's clustercache.
type Clusters struct {
	// Cache holds the connections.
	Cache clustercache.ClusterCache
	// Secrets reads the kubeconfig Secrets, to find out what is wrong with one.
	Secrets client.Reader
	// Management reads Clusters, to find out which are gone; without it, callers must call Forget.
	Management client.Reader
	// Clock tells the time.
	Clock clock.PassiveClock
	// Started is when the process started.
	Started time.Time
	// Waiting is how many callers, apart from those of For, may wait at once for slow clusters, half of them for one; others get ErrBusy. 0 means
	// that all may wait.
	Waiting int

	lines   lines
	waiting waiting
	failing sync.Map // path -> failure
	// readable has all clusters that were read, and whether they answered last.
	readable sync.Map // client.ObjectKey -> bool
	problems sync.Map // client.ObjectKey -> problem
}

// path is a way to read the Nodes of a cluster. Live reads may hang while the cache can still be read.
type path struct {
	cluster client.ObjectKey
	live    bool
}

// longest is how long a cluster may take to answer; after that, it counts as hanging.
func (p path) longest() time.Duration {
	if p.live {
		return liveTimeout
	}
	return syncTimeout
}

var (
	_ NodesAndLists = &Clusters{}
	_ NodesAndLists = group{}
)

// Get implements Nodes.
func (c *Clusters) Get(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error) {
	return c.others().Get(ctx, cluster, name)
}

// GetLive implements Nodes.
func (c *Clusters) GetLive(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error) {
	return c.others().GetLive(ctx, cluster, name)
}

// List implements Lister.
func (c *Clusters) List(ctx context.Context, cluster client.ObjectKey) (map[string]*corev1.Node, error) {
	return c.others().List(ctx, cluster)
}

func (c *Clusters) others() group { return group{c, callers{c.Waiting, &c.waiting}} }

// ask connects to a cluster and reads something.
func (c *Clusters) ask(ctx context.Context, who callers, by path, connect func() (client.Reader, error), read func(context.Context, client.Reader) error) error {
	reader, err := connect()
	if err != nil {
		return c.unreadable(ctx, by, err)
	}
	turn, err := c.lines.enter(by, who, c.Clock.Now())
	if err != nil {
		return err
	}
	return c.take(ctx, by, turn, func(ctx context.Context) error { return read(ctx, reader) })
}

// take runs a read in a turn, and gives a cluster that misses the turn a trial.
func (c *Clusters) take(ctx context.Context, by path, turn turn, read func(context.Context) error) error {
	follows, err := c.run(ctx, by, turn, read)
	if follows {
		trial := turn
		trial.waits, trial.tries, trial.limit, trial.begun = nil, true, by.longest(), c.Clock.Now()
		go c.try(context.WithoutCancel(ctx), by, trial, read)
	}
	switch {
	case throttled(err):
		return noAnswer(ErrBusy)
	case errors.Is(err, context.Canceled):
		return noAnswer(err)
	case timedOut(err) && turn.limit < by.longest():
		return noAnswer(turn.late)
	}
	return c.answer(ctx, by, err)
}

// try makes a trial. In the background, nobody else recovers if the read panics.
func (c *Clusters) try(ctx context.Context, by path, trial turn, read func(context.Context) error) {
	defer func() {
		if reason := recover(); reason != nil {
			ctrl.LoggerFrom(ctx).Error(fmt.Errorf("panic: %v", reason), "Reading a workload cluster panicked", "cluster", by.cluster, "stack", string(debug.Stack()))
		}
	}()
	_ = c.take(ctx, by, trial, read)
}

// run runs a read in a turn. It ends the turn even if the read panics, since controller-runtime recovers from panics.
func (c *Clusters) run(ctx context.Context, by path, turn turn, read func(context.Context) error) (follows bool, err error) {
	defer func() { follows = c.lines.leave(by, turn, err, c.Clock.Now()) }()
	ctx, cancel := context.WithTimeout(ctx, turn.limit)
	defer cancel()
	return false, read(ctx)
}

func noAnswer(err error) error { return &UnreadableError{Cause: causeNoAnswer, Err: err} }

// Forget drops the state of a cluster that is gone.
func (c *Clusters) Forget(cluster client.ObjectKey) {
	c.answers(cluster)
	c.readable.Delete(cluster)
	c.problems.Delete(cluster)
	c.lines.forget(cluster)
}

// answers records that a cluster can be read.
func (c *Clusters) answers(cluster client.ObjectKey) {
	c.lines.answers(cluster)
	c.failing.Delete(path{cluster: cluster})
	c.failing.Delete(path{cluster: cluster, live: true})
	c.readable.Store(cluster, true)
}

// answer tells a missing Node from a cluster that did not answer.
func (c *Clusters) answer(ctx context.Context, by path, err error) error {
	if err != nil && !apierrors.IsNotFound(err) {
		return c.unreadable(ctx, by, err)
	}
	c.failing.Delete(by)
	c.readable.Store(by.cluster, true)
	if err != nil {
		return fmt.Errorf("getting a Node of %s: %w", by.cluster, err)
	}
	return nil
}
