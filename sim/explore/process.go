package explore

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/sickbay-dev/sickbay/internal/remediation"
	"github.com/sickbay-dev/sickbay/sim/explore/apimodel"
)

// process is one manager, with an empty memory when it starts. It does one thing at a time.
type process struct {
	w           *world
	name        string
	view        *apimodel.View
	client      *apimodel.Client
	controllers map[string]reconcile.Reconciler
	queue       queue
	// turn is what the Reconcile at work has read; nil between two.
	turn *turn
	// lag is how many writes its caches do not show for now.
	lag map[schema.GroupVersionKind]int
	// dead is that it has crashed.
	dead bool
	// closed is what its caches have shown of the gate.
	closed closing
	// left is how many Reconciles a former leader has left.
	left int
}

// item is one request of one controller.
type item struct {
	controller string
	name       string
}

func (i item) String() string { return i.controller + " " + i.name }

// crash unwinds a Reconcile when its process dies.
type crash struct{ process *process }

// crash ends everything that the process does. A Reconcile may have it done by other goroutines.
func (p *process) crash() {
	p.dead = true
	if !reconciles() {
		runtime.Goexit()
	}
	panic(crash{p})
}

// reconciles reports whether the goroutine that asks is one that reconciles, and not one that a Reconcile has started.
func reconciles() bool {
	callers := make([]uintptr, 128)
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers)])
	for {
		frame, more := frames.Next()
		if strings.HasSuffix(frame.Function, ".(*process).reconcile") {
			return true
		}
		if !more {
			return false
		}
	}
}

// newProcess starts a manager. Its caches show what there is, unless they begin older.
func (w *world) newProcess() *process {
	w.processes++
	p := &process{w: w, name: fmt.Sprintf("p%d", w.processes), view: w.server.NewView()}
	for _, kind := range cachedKinds {
		p.view.Rewind(kind, 0)
	}
	p.client = &apimodel.Client{Server: w.server, View: p.view, Reads: p.reads, Read: p.read, Writes: p.writes}
	p.addControllers()
	if w.processes > 1 {
		p.startOlder()
	}
	for _, kind := range cachedKinds {
		for _, obj := range w.server.All(kind) {
			p.wake(apimodel.Change{Kind: kind, Key: client.ObjectKeyFromObject(obj.Typed()), After: obj})
		}
	}
	return p
}

// most is how many writes a cache may lag behind.
const most = 3

// startOlder may have a cache of a new process begin before what the last leader saw.
func (p *process) startOlder() {
	if !p.w.spec.has(Caches) {
		return
	}
	p.w.pick(atCache, func() []option {
		var options []option
		for lag := 1; lag <= most; lag++ {
			options = append(options, option{fmt.Sprintf("%s starts with all caches %d writes old", p.name, lag), func() {
				for _, kind := range cachedKinds {
					p.view.Rewind(kind, lag)
				}
			}})
		}
		for _, kind := range cachedKinds {
			options = append(options, option{fmt.Sprintf("%s starts with a cache of %s that is %d writes old", p.name, kind.Kind, most), func() {
				p.view.Rewind(kind, most)
			}})
		}
		return options
	})
}

// sync brings a cache up to date, but for some writes, and wakes up those whom the news concern.
func (p *process) sync(kind schema.GroupVersionKind, lag int) {
	for _, change := range p.view.Advance(kind, lag) {
		p.wake(change)
	}
}

// reconcile has a controller look at one of its objects.
func (p *process) reconcile(i item) {
	p.queue.remove(i)
	p.w.say("%s %s", p.name, i)
	p.turn = p.newTurn(i)
	p.w.monitor.shows(p)
	defer func() {
		p.turn = nil
		if cause := recover(); cause != nil {
			p.died(cause)
		}
	}()
	result, err := p.controllers[i.controller].Reconcile(p.w.ctx, reconcile.Request{NamespacedName: inNamespace(i.name)})
	if p.dead {
		panic(crash{p})
	}
	if i.controller == remediation.ControllerName && err == nil {
		p.w.monitor.lookedAt(p, i.name)
	}
	now := p.w.clock.now
	switch {
	case err != nil:
		p.w.say("%s %s: error: %v", p.name, i, err)
		p.queue.retry(i, now)
	case result.RequeueAfter > 0:
		p.queue.later(i, now.Add(result.RequeueAfter))
	default:
		p.queue.done(i)
	}
}

// died goes on without a process that has crashed. A leader has a successor at once.
func (p *process) died(cause any) {
	if dead, ok := cause.(crash); !ok || dead.process != p {
		panic(cause)
	}
	if p.w.former == p {
		p.w.former = nil
		return
	}
	p.w.leader = p.w.newProcess()
}

// queue is what a process has to look at, and when.
type queue struct {
	ready    []item
	timers   map[item]time.Time
	failures map[item]int
}

func (q *queue) add(i item) {
	if !slices.Contains(q.ready, i) {
		q.ready = append(q.ready, i)
	}
}

func (q *queue) remove(i item) {
	for n, other := range q.ready {
		if other == i {
			q.ready = append(q.ready[:n:n], q.ready[n+1:]...)
			return
		}
	}
}

func (q *queue) later(i item, at time.Time) {
	delete(q.failures, i)
	q.set(i, at)
}

func (q *queue) set(i item, at time.Time) {
	if q.timers == nil {
		q.timers = map[item]time.Time{}
	}
	q.timers[i] = at
}

func (q *queue) done(i item) {
	delete(q.timers, i)
	delete(q.failures, i)
}

// retry is later and later for what fails again and again.
func (q *queue) retry(i item, now time.Time) {
	if q.failures == nil {
		q.failures = map[item]int{}
	}
	wait := min(5*time.Millisecond<<min(q.failures[i], 20), 30*time.Second)
	q.failures[i]++
	q.set(i, now.Add(wait))
}

// next is when the next timer rings; zero if there is none.
func (q *queue) next() time.Time {
	var next time.Time
	for _, at := range q.timers {
		if next.IsZero() || at.Before(next) {
			next = at
		}
	}
	return next
}

// ring makes ready what is due, the earliest first.
func (q *queue) ring(now time.Time) {
	var due []item
	for i, at := range q.timers {
		if !at.After(now) {
			due = append(due, i)
		}
	}
	sortItems(due, q.timers)
	for _, i := range due {
		delete(q.timers, i)
		q.add(i)
	}
}
