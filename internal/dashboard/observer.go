package dashboard

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"github.com/sickbay-dev/sickbay/internal/dashboard/view"
	"github.com/sickbay-dev/sickbay/internal/explain"
)

const (
	// period is the least time between two looks; after a slow look, that time is pause times as long as the look took.
	period = time.Second
	pause  = 3
	// fresh is how old a look may be for a page. An older one is shown only if there is no new one in time.
	fresh = 5 * time.Second
	// patience is how long a request waits for a look, and lookTime how long a look may take.
	patience = 10 * time.Second
	lookTime = 10 * time.Second
)

// snapshot is the state that all requests share. It is immutable.
type snapshot struct {
	// look is the last successful look; nil if there is none.
	look *view.Look
	// begun is when the last look began, and at when the last successful one did.
	begun, at time.Time
	// err is why the last look failed, and since is when looks began to fail; nil and zero if it succeeded.
	err   error
	since time.Time
}

// observer observes the fleet for all viewers.
type observer struct {
	fleet     Fleet
	namespace string
	clock     clock.PassiveClock
	// wanted has an entry if somebody waits for a look.
	wanted chan struct{}

	mu       sync.Mutex
	last     snapshot
	changed  chan struct{}
	watchers int
	// lost is when we first saw that the Nodes of a cluster could not be read.
	lost map[types.NamespacedName]time.Time
}

func newObserver(fleet Fleet, namespace string, c clock.PassiveClock) *observer {
	return &observer{
		fleet: fleet, namespace: namespace, clock: c, wanted: make(chan struct{}, 1), changed: make(chan struct{}), lost: map[types.NamespacedName]time.Time{},
	}
}

// run looks at the fleet on demand, until ctx ends.
func (o *observer) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-o.wanted:
		}
		begun := o.clock.Now()
		o.look(ctx)
		select {
		case <-ctx.Done():
			return
		case <-time.After(max(period, pause*o.clock.Since(begun))):
		}
		if o.watched() {
			o.want()
		}
	}
}

// look reads the fleet. If that fails, the snapshot keeps the last look, and has the error.
func (o *observer) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	begun := o.clock.Now()
	seen, err := o.read(ctx)
	next := snapshot{look: o.current().look, begun: begun, at: o.current().at, err: err, since: o.current().since}
	if err == nil {
		next.look, next.at, next.since = seen, begun, time.Time{}
	} else if next.since.IsZero() {
		next.since = begun
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last = next
	close(o.changed)
	o.changed = make(chan struct{})
}

// read reads the fleet and prepares it for the pages. It turns a panic over a strange object into an error: the dashboard must not end
// the manager.
func (o *observer) read(ctx context.Context) (look *view.Look, err error) {
	defer func() {
		if what := recover(); what != nil {
			look, err = nil, fmt.Errorf("the fleet cannot be judged because of a bug in Sickbay: %v", what)
		}
	}()
	facts, err := o.fleet.Look(ctx, o.namespace)
	if err != nil {
		return nil, err
	}
	o.remember(&facts)
	return view.New(&facts), nil
}

// remember sets since when clusters cannot be read, where the facts do not say.
func (o *observer) remember(facts *explain.Facts) {
	lost := map[types.NamespacedName]time.Time{}
	for i := range facts.Clusters {
		c := &facts.Clusters[i]
		name := types.NamespacedName{Namespace: c.Cluster.Namespace, Name: c.Cluster.Name}
		if c.Unreadable == "" {
			continue
		}
		if since, ok := o.lost[name]; ok {
			lost[name] = since
		} else {
			lost[name] = facts.Now
		}
		if c.Since.IsZero() {
			c.Since = lost[name]
		}
	}
	o.lost = lost
}

func (o *observer) want() {
	select {
	case o.wanted <- struct{}{}:
	default:
	}
}

func (o *observer) current() snapshot {
	last, _ := o.state()
	return last
}

// state returns the last snapshot, and a channel that is closed when there is a new one.
func (o *observer) state() (snapshot, <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.last, o.changed
}

func (o *observer) watched() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.watchers > 0
}

// get returns the last snapshot if it is fresh, or waits for a new one. If none comes in time, it returns the last one.
func (o *observer) get(ctx context.Context) snapshot {
	o.await(ctx, o.clock.Now().Add(-fresh))
	return o.current()
}

// refresh waits until the pages show the fleet as it is now, or until ctx ends.
func (o *observer) refresh(ctx context.Context) { o.await(ctx, o.clock.Now()) }

// await waits until the last look began at the given time or later, but no longer than patience.
func (o *observer) await(ctx context.Context, begun time.Time) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		last, changed := o.state()
		if !last.begun.IsZero() && !last.begun.Before(begun) {
			return
		}
		o.want()
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
	}
}
