package history

import (
	"fmt"
	"runtime"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/sickbay-dev/sickbay/sim/explore/apimodel"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/schedule"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

// Process is one manager. It starts with an empty memory, and does one thing at a time.
type Process struct {
	World *World
	Name  string
	// View is its caches.
	View   *apimodel.View
	client *apimodel.Client
	// Controllers are its Reconcilers, by name.
	Controllers map[string]reconcile.Reconciler
	queue       queue
	// Item is the item of the current Reconcile; nil between two.
	Item *Item
	// goroutine is the one of the current Reconcile.
	goroutine string
	// lag is how many writes its caches do not show for now.
	lag map[schema.GroupVersionKind]int
	// dead is set after it crashed.
	dead bool
	// ahead is how far its clock is ahead of everybody's.
	ahead time.Duration
	// left is how many more Reconciles a former leader gets.
	left int
}

// Item is one request of one controller.
type Item struct {
	Controller string
	Name       string
}

func (i Item) String() string { return i.Controller + " " + i.Name }

// crash is the panic that unwinds a Reconcile when its process dies.
type crash struct{ process *Process }

// crash ends everything that the process does. Other goroutines of a Reconcile may call it, too.
func (p *Process) crash() {
	p.dead = true
	if p.beside() {
		runtime.Goexit()
	}
	panic(crash{p})
}

// goroutine identifies the calling goroutine.
func goroutine() string {
	var head [32]byte
	return string(head[:runtime.Stack(head[:], false)])
}

// beside reports whether the calling goroutine is one that a Reconcile has started. Several of them read at once, so nothing may happen at their
// reads that depends on their order.
func (p *Process) beside() bool { return p.Item != nil && p.goroutine != goroutine() }

// newProcess starts a manager. Its caches are up to date, unless they start older.
func (w *World) newProcess() *Process {
	w.processes++
	p := &Process{World: w, Name: fmt.Sprintf("p%d", w.processes), View: w.Server.NewView()}
	for _, kind := range p.World.cached {
		p.View.Rewind(kind, 0)
	}
	p.client = &apimodel.Client{Server: w.Server, View: p.View, Reads: p.reads, Read: p.read, Writes: p.writes}
	p.addControllers()
	p.setsAhead()
	if w.processes > 1 {
		p.startOlder()
	}
	for _, kind := range p.World.cached {
		for _, obj := range w.Server.All(kind) {
			p.wake(apimodel.Change{Kind: kind, Key: client.ObjectKeyFromObject(obj.Typed()), After: obj})
		}
	}
	return p
}

// most is how many writes a cache may lag behind.
const most = 3

// startOlder may start a cache of a new process before what the last leader saw.
func (p *Process) startOlder() {
	if !p.World.Spec.Has(worlds.Caches) {
		return
	}
	p.World.pick(schedule.AtCache, func() []option {
		var options []option
		for lag := 1; lag <= most; lag++ {
			options = append(options, option{fmt.Sprintf("%s starts with all caches %d writes old", p.Name, lag), func() {
				for _, kind := range p.World.cached {
					p.View.Rewind(kind, lag)
				}
			}})
		}
		for _, kind := range p.World.cached {
			options = append(options, option{fmt.Sprintf("%s starts with a cache of %s that is %d writes old", p.Name, kind.Kind, most), func() {
				p.View.Rewind(kind, most)
			}})
		}
		return options
	})
}

// sync brings a cache up to date except for lag writes, and queues what the news concerns.
func (p *Process) sync(kind schema.GroupVersionKind, lag int) {
	for _, change := range p.View.Advance(kind, lag) {
		p.wake(change)
	}
}

// Due returns when the process does something by itself; zero if never.
func (p *Process) Due() time.Time { return p.queue.next() }

// Failing reports whether the process is retrying something.
func (p *Process) Failing() bool { return len(p.queue.failures) > 0 }

// reconcile makes a controller look at one of its objects.
func (p *Process) reconcile(i Item) {
	p.queue.remove(i)
	p.World.say("%s %s", p.Name, i)
	p.Item, p.goroutine = &i, p.World.goroutine
	if p.World.nested > 0 {
		// Another process's call may come from a goroutine of its own.
		p.goroutine = goroutine()
	}
	p.World.observer.Began(p)
	defer func() {
		p.Item = nil
		if cause := recover(); cause != nil {
			p.died(cause)
		}
	}()
	result, err := p.Controllers[i.Controller].Reconcile(p.World.Ctx, reconcile.Request{NamespacedName: kinds.InNamespace(i.Name)})
	if p.dead {
		panic(crash{p})
	}
	if err == nil {
		p.World.observer.Finished(p)
	}
	now := p.World.clock.now
	switch {
	case err != nil:
		p.World.say("%s %s: error: %v", p.Name, i, err)
		p.queue.retry(i, now)
	case result.RequeueAfter > 0:
		p.queue.later(i, now.Add(result.RequeueAfter))
	default:
		p.queue.done(i)
	}
}

// died recovers from the crash of a process. A leader gets a successor at once.
func (p *Process) died(cause any) {
	if dead, ok := cause.(crash); !ok || dead.process != p {
		panic(cause)
	}
	if p.World.Former == p {
		p.World.Former = nil
		return
	}
	p.World.Leader = p.World.newProcess()
}
