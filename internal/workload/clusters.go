package workload

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/clock"
	"sigs.k8s.io/cluster-api/controllers/clustercache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// syncTimeout is how long a read waits for the Nodes of a cluster to arrive in the cache for the first time. A Machine that was too early
	// is looked at again when the Nodes arrive.
	syncTimeout = 2 * time.Second
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
	// Waiting is how many callers may wait at once for slow clusters, one for each; others get ErrBusy. 0 means that all may wait.
	Waiting int

	lines   lines
	hanging sync.Map // path -> time.Time until which reads fail at once
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

var (
	_ Nodes  = &Clusters{}
	_ Lister = &Clusters{}
)

// Get implements Nodes.
func (c *Clusters) Get(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error) {
	return c.read(ctx, path{cluster: cluster}, name, func() (client.Reader, error) { return c.Cache.GetReader(ctx, cluster) })
}

// GetLive implements Nodes.
func (c *Clusters) GetLive(ctx context.Context, cluster client.ObjectKey, name string) (*corev1.Node, error) {
	return c.read(ctx, path{cluster: cluster, live: true}, name, func() (client.Reader, error) { return c.Cache.GetUncachedClient(ctx, cluster) })
}

// List implements Lister.
func (c *Clusters) List(ctx context.Context, cluster client.ObjectKey) (map[string]*corev1.Node, error) {
	var all corev1.NodeList
	err := c.ask(ctx, path{cluster: cluster}, func() (client.Reader, error) { return c.Cache.GetReader(ctx, cluster) },
		func(ctx context.Context, reader client.Reader) error {
			return reader.List(ctx, &all, client.UnsafeDisableDeepCopy)
		})
	if err != nil {
		return nil, err
	}
	byName := make(map[string]*corev1.Node, len(all.Items))
	for i := range all.Items {
		byName[all.Items[i].Name] = &all.Items[i]
	}
	return byName, nil
}

func (c *Clusters) read(ctx context.Context, by path, name string, connect func() (client.Reader, error)) (*corev1.Node, error) {
	node := &corev1.Node{}
	err := c.ask(ctx, by, connect, func(ctx context.Context, reader client.Reader) error {
		return reader.Get(ctx, client.ObjectKey{Name: name}, node)
	})
	if err != nil {
		return nil, err
	}
	return node, nil
}

// ask connects to a cluster and reads something, unless the cluster did not answer a moment ago.
func (c *Clusters) ask(ctx context.Context, by path, connect func() (client.Reader, error), read func(context.Context, client.Reader) error) error {
	until, hung := c.hanging.Load(by)
	if hung && c.Clock.Now().Before(until.(time.Time)) {
		return noAnswer(context.DeadlineExceeded)
	}
	reader, err := connect()
	if err != nil {
		return c.unreadable(ctx, by, err)
	}
	err = c.inTurn(ctx, by, hung, func(ctx context.Context) error { return read(ctx, reader) })
	if _, sentAway := Unreadable(err); sentAway {
		return err
	}
	return c.answer(ctx, by, err)
}

// inTurn runs a read for as long as the caller may wait, and records whether the cluster hangs. A caller that may not wait gets an
// UnreadableError.
func (c *Clusters) inTurn(ctx context.Context, by path, hung bool, read func(context.Context) error) error {
	turn, ok := c.lines.enter(by, hung, c.Waiting, c.Clock.Now())
	switch {
	case !ok && hung:
		return noAnswer(context.DeadlineExceeded)
	case !ok:
		return noAnswer(ErrBusy)
	}
	err := c.take(ctx, turn, by, read)
	switch {
	case throttled(err), timedOut(err) && !turn.patient && !hung:
		return noAnswer(ErrBusy)
	case timedOut(err):
		c.hanging.Store(by, c.Clock.Now().Add(wait.Jitter(hangBackoff, 0.5)))
	case hung:
		c.hanging.Delete(by)
	}
	return err
}

// take runs a read in a turn. It ends the turn even if the read panics, since controller-runtime recovers from panics.
func (c *Clusters) take(ctx context.Context, turn turn, by path, read func(context.Context) error) (err error) {
	defer func() { c.lines.leave(turn, timedOut(err) || throttled(err), c.Clock.Now()) }()
	return bounded(ctx, turn.within(by), read)
}

func noAnswer(err error) error { return &UnreadableError{Cause: causeNoAnswer, Err: err} }

// bounded runs a read with a time limit; 0 means none.
func bounded(ctx context.Context, limit time.Duration, read func(context.Context) error) error {
	if limit == 0 {
		return read(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return read(ctx)
}

// Forget drops the state of a cluster that is gone.
func (c *Clusters) Forget(cluster client.ObjectKey) {
	c.answers(cluster)
	c.readable.Delete(cluster)
	c.problems.Delete(cluster)
	c.lines.forget(cluster)
}

// answers records that a cluster can be read.
func (c *Clusters) answers(cluster client.ObjectKey) {
	for _, live := range []bool{false, true} {
		c.hanging.Delete(path{cluster, live})
		c.failing.Delete(path{cluster, live})
	}
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
