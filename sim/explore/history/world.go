package history

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/upgradepause"
	"github.com/sickbay-dev/sickbay/sim/explore/apimodel"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/metal"
	"github.com/sickbay-dev/sickbay/sim/explore/rules"
	"github.com/sickbay-dev/sickbay/sim/explore/schedule"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

// World is one history in progress.
type World struct {
	// Spec describes the world, and Plant is the bug planted in its controllers, if any.
	Spec   *worlds.Spec
	Plant  *Plant
	Server *apimodel.Server
	// Ctx is the context of all reads and writes.
	Ctx   context.Context
	clock *clock
	// goroutine is the one that plays the history.
	goroutine string
	// cached are the kinds that the controllers watch.
	cached  []schema.GroupVersionKind
	choices *chooser
	// admin is the client of everybody except the managers.
	admin *apimodel.Client
	// Leader is the leading manager, and Former one that has not yet noticed that it lost the lead.
	Leader, Former *Process
	processes      int
	// Writer is the process that is writing now; nil for anybody else.
	Writer *Process
	// nested is how many calls are interrupted now.
	nested int
	// Quiet is set once faults have ended and people have gone home, and cooperating once everybody does what
	// helps.
	Quiet, cooperating bool
	// refused are the machines whose writes a webhook rejects.
	refused map[string]bool
	// ownerPaused is set while the owner is paused, busy is until when it leaves machines alone, and unmarked when their marks were withdrawn.
	ownerPaused    bool
	busy, unmarked map[string]time.Time
	// forbidden is set while requests cannot be read.
	forbidden bool
	// Unreadable is set while the Nodes cannot be read, and lostAt is since when.
	Unreadable bool
	lostAt     time.Time
	// Unread are the kinds that upgradepause may not read.
	Unread map[schema.GroupVersionKind]bool
	// made counts all machines ever created.
	made int
	// iron are the bare-metal hosts themselves, by name.
	iron map[string]*metal.Iron
	// steps counts the steps, and states are the hashes of the world's state before each.
	steps  int
	states []uint64
	// observer receives everything that happens.
	observer Observer
	// Failure is the first rule that was broken; nil if none was.
	Failure *rules.Failure
	// Furthest is the latest time that the clock has shown; it may step back.
	Furthest time.Time
	// Unsteady is the latest time that a clock has shown that was ahead, or stepped back then. What is stored may be of a later time until it has passed.
	// It is also when a manager reads again what it may read now.
	Unsteady time.Time
	// tell receives the story; nil if nobody reads it.
	tell func(string)
}

// Start is the time at which all histories begin.
var Start = build.Epoch.Add(24 * time.Hour)

var indexes = slices.Concat(mhcspec.Indexes(), recordstore.Indexes(), upgradepause.Indexes(), indexesOfHosts())

// New begins a history. Nobody judges it until Observe is called.
func New(spec *worlds.Spec, plant *Plant, strategy schedule.Strategy, tell func(string)) *World {
	w := &World{
		Spec: spec, Plant: plant, clock: &clock{Start}, goroutine: goroutine(), choices: &chooser{strategy: strategy}, refused: map[string]bool{},
		iron: map[string]*metal.Iron{}, busy: map[string]time.Time{}, unmarked: map[string]time.Time{}, Unread: map[schema.GroupVersionKind]bool{}, tell: tell, Ctx: ctrl.LoggerInto(context.Background(), logr.Discard()),
	}
	if tell != nil {
		w.Ctx = ctrl.LoggerInto(context.Background(), w.logger())
	}
	w.begin()
	w.cached = w.cachedKinds()
	w.Leader = w.newProcess()
	return w
}

// begin sets a world up, or copies the beginning of an earlier one.
func (w *World) begin() {
	if before, ok := begun.Load(w.Spec); ok {
		w.Server, w.made = before.(*World).Server.Copy(), w.Spec.Machines
		w.Server.Now = w.clock.Now
		w.admin = &apimodel.Client{Server: w.Server}
		for _, host := range w.Server.All(kinds.Host) {
			w.iron[host.Typed().GetName()] = metal.Running()
		}
		return
	}
	w.Server = &apimodel.Server{Scheme: kinds.Scheme, Indexes: indexes, Now: w.clock.Now}
	w.admin = &apimodel.Client{Server: w.Server}
	w.setUp()
	w.Server.Begin()
	begun.Store(w.Spec, &World{Server: w.Server.Copy()})
}

// begun are the worlds at their beginning, by Spec.
var begun sync.Map

// Now returns the time that the clock shows.
func (w *World) Now() time.Time { return w.clock.now }

// say adds a line to the story.
func (w *World) say(format string, args ...any) {
	if w.tell != nil {
		w.tell(fmt.Sprintf("%s  %s", w.clock.now.Sub(Start), fmt.Sprintf(format, args...)))
	}
}

// Fail ends the run. Only the first failure counts.
func (w *World) Fail(rule, format string, args ...any) {
	if w.Failure == nil {
		w.Failure = &rules.Failure{Rule: rule, Message: fmt.Sprintf(format, args...)}
		w.say("FAILED: %s", w.Failure)
		w.sayRecords()
	}
}

// sayRecords adds the state of all records to the story.
func (w *World) sayRecords() {
	for _, r := range Every[*v1alpha1.MachineRemediation](w, kinds.Record) {
		w.say("      record %s is %s: %s, granted %d, given back %d", r.Name, r.Status.Phase, ladder.Progress(&r.Status).Message, r.Spec.Grant, r.Status.ReleasedGrant)
		for _, attempt := range r.Status.Attempts {
			w.say("        attempt %d, step %s, made something %t, began %t, ended %v %s", attempt.Number, attempt.Step, attempt.ObjectRef != nil, attempt.Begun(), attempt.EndTime != nil, attempt.Result)
		}
	}
}

// Observer receives what happens in a world.
type Observer interface {
	// Committed is called after each stored change.
	Committed(change apimodel.Change)
	ProcessObserver
	// TimeMoved is called when the clock was set.
	TimeMoved()
	// Switched is called when a host has gone off or come on.
	Switched(host string, on bool)
	// Rested is called when nothing is left to do for now.
	Rested()
}

// ProcessObserver receives what processes do.
type ProcessObserver interface {
	// Began and Finished are called around a Reconcile. Finished is not called for one that fails.
	Began(p *Process)
	Finished(p *Process)
	// Read is called with the result of a read, and Written after the answer to a write has arrived.
	Read(p *Process, call apimodel.Call, obj *apimodel.Object)
	Written(p *Process, call apimodel.Call)
}

// Observe sets the observer of everything from now on.
func (w *World) Observe(observer Observer) {
	w.observer = observer
	w.Server.Committed = func(change apimodel.Change) {
		if change.Kind == kinds.Machine {
			w.noteMark(change)
		}
		observer.Committed(change)
	}
}

// pick may make something unusual happen, unless the run is over or quiet.
func (w *World) pick(kind schedule.Point, options func() []option) (string, bool) {
	if w.over() {
		return "", false
	}
	return w.choices.pick(kind, options)
}

// over reports whether nothing unusual happens any more.
func (w *World) over() bool { return w.Quiet || w.Failure != nil }
