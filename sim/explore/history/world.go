package history

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/record"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/sim/explore/apimodel"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/rules"
	"github.com/sickbay-dev/sickbay/sim/explore/schedule"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

// World is one history in the making.
type World struct {
	// Spec describes the world, and Plant is the bug that was put into its controllers; nil is none.
	Spec   *worlds.Spec
	Plant  *Plant
	Server *apimodel.Server
	// Ctx is that of all reads and writes.
	Ctx     context.Context
	clock   *clock
	choices *chooser
	// admin is the client of everybody who is no manager.
	admin *apimodel.Client
	// Leader is the manager at work, and former one that has not noticed yet that it leads no more.
	Leader, Former *Process
	processes      int
	// Writer is the process that writes just now; nil is anybody else.
	Writer *Process
	// nested is how many calls are interrupted just now.
	nested int
	// Quiet is that faults have ended and people have gone home, and goodwill that everybody does what helps.
	Quiet, goodwill bool
	// refused are the machines whose writes are refused.
	refused map[string]bool
	// Unreadable is that the Nodes cannot be read, and lostAt since when.
	Unreadable bool
	lostAt     time.Time
	// made counts the machines that were ever made.
	made   int
	cycles map[string]int
	// steps counts what has happened, and states are the hashes of how the world was.
	steps  int
	states []uint64
	// observer is told what happens.
	observer Observer
	// Failure is the first rule that was broken; nil if none was.
	Failure *rules.Failure
	// Furthest is what the clock has shown at most: it may step back.
	Furthest time.Time
	// tell is told what happens; nil for a run that nobody reads.
	tell func(string)
}

// Start is when all histories begin.
var Start = build.Epoch.Add(24 * time.Hour)

var indexes = append(mhcspec.Indexes(), record.Indexes()...)

// New begins a history. Nothing in it is judged until somebody observes it.
func New(spec *worlds.Spec, plant *Plant, strategy schedule.Strategy, tell func(string)) *World {
	w := &World{
		Spec: spec, Plant: plant, clock: &clock{Start}, choices: &chooser{strategy: strategy}, refused: map[string]bool{},
		cycles: map[string]int{}, tell: tell, Ctx: ctrl.LoggerInto(context.Background(), logr.Discard()),
	}
	if tell != nil {
		w.Ctx = ctrl.LoggerInto(context.Background(), w.logger())
	}
	w.begin()
	w.Leader = w.newProcess()
	return w
}

// begin sets a world up, or has it begin as the one before did.
func (w *World) begin() {
	if before, ok := begun.Load(w.Spec); ok {
		w.Server, w.made = before.(*World).Server.Copy(), w.Spec.Machines
		w.Server.Now = w.clock.Now
		w.admin = &apimodel.Client{Server: w.Server}
		return
	}
	w.Server = &apimodel.Server{Scheme: kinds.Scheme, Indexes: indexes, Now: w.clock.Now}
	w.admin = &apimodel.Client{Server: w.Server}
	w.setUp()
	w.Server.Begin()
	begun.Store(w.Spec, &World{Server: w.Server.Copy()})
}

// begun are the worlds as they are at the beginning, by Spec.
var begun sync.Map

// Now is what the clock shows.
func (w *World) Now() time.Time { return w.clock.now }

// say writes down what happens.
func (w *World) say(format string, args ...any) {
	if w.tell != nil {
		w.tell(fmt.Sprintf("%s  %s", w.clock.now.Sub(Start), fmt.Sprintf(format, args...)))
	}
}

// Fail ends the run. The first failure counts.
func (w *World) Fail(rule, format string, args ...any) {
	if w.Failure == nil {
		w.Failure = &rules.Failure{Rule: rule, Message: fmt.Sprintf(format, args...)}
		w.say("FAILED: %s", w.Failure)
		w.sayRecords()
	}
}

// sayRecords says how the records stand.
func (w *World) sayRecords() {
	for _, r := range Every[*v1alpha1.MachineRemediation](w, kinds.Record) {
		w.say("      record %s is %s: %s, granted %d, given back %d", r.Name, r.Status.Phase, Progress(r).Message, r.Spec.Grant, r.Status.ReleasedGrant)
		for _, attempt := range r.Status.Attempts {
			w.say("        attempt %d, step %s, made something %t, ended %v %s", attempt.Number, attempt.Step, attempt.ObjectRef != nil, attempt.EndTime != nil, attempt.Result)
		}
	}
}

// Observer is told what happens in a world.
type Observer interface {
	// Committed is told of each change that is stored.
	Committed(change apimodel.Change)
	ProcessObserver
	// TimeMoved is told that the clock was set.
	TimeMoved()
	// Rested is told that nothing is left to do for now.
	Rested()
}

// ProcessObserver is told what processes do.
type ProcessObserver interface {
	// Began and Finished are told of a Reconcile. One that fails does not finish.
	Began(p *Process)
	Finished(p *Process)
	// Read is told what a live read has returned, and Written of a write whose answer has arrived.
	Read(p *Process, call apimodel.Call, obj *apimodel.Object)
	Written(p *Process, call apimodel.Call)
}

// Observe has an observer told what happens from now on.
func (w *World) Observe(observer Observer) {
	w.observer, w.Server.Committed = observer, observer.Committed
}

// pick lets something unusual happen, unless the run is over or everything is quiet by now.
func (w *World) pick(kind schedule.Point, options func() []option) (string, bool) {
	if w.Quiet || w.Failure != nil {
		return "", false
	}
	name, picked := w.choices.pick(kind, options)
	return name, picked
}
