package explore

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/record"
	"github.com/sickbay-dev/sickbay/internal/targets"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/sim/explore/apimodel"
)

// world is one history in the making.
type world struct {
	spec    *Spec
	plant   *Plant
	server  *apimodel.Server
	clock   *hands
	choices *chooser
	// admin is the client of everybody who is no manager.
	admin *apimodel.Client
	// leader is the manager at work, and former one that has not noticed yet that it leads no more.
	leader, former *process
	processes      int
	// writer is the process that writes just now; nil is anybody else.
	writer *process
	// nested is how many calls are interrupted just now.
	nested int
	// quiet is that faults have ended and people have gone home, and goodwill that everybody does what helps.
	quiet, goodwill bool
	// refused are the machines whose writes are refused.
	refused map[string]bool
	// unreadable is that the Nodes cannot be read, and lostAt since when.
	unreadable bool
	lostAt     time.Time
	// made counts the machines that were ever made.
	made   int
	cycles map[string]int
	// steps counts what has happened, and states are the hashes of how the world was.
	steps   int
	states  []uint64
	monitor *monitor
	failure *Failure
	// told is what explain said when the world was at rest last; nil if it was not yet.
	told *foretold
	// rests counts how often the world was at rest.
	rests int
	// latest is what the clock has shown at most: it may step back.
	latest time.Time
	// tell is told what happens; nil for a run that nobody reads.
	tell func(string)
	ctx  context.Context
}

// start is when all histories begin.
var start = build.Epoch.Add(24 * time.Hour)

var indexes = append(targets.Indexes(), record.Indexes()...)

func newWorld(spec *Spec, plant *Plant, strategy strategy, tell func(string)) *world {
	w := &world{
		spec: spec, plant: plant, clock: &hands{start}, choices: &chooser{strategy: strategy}, refused: map[string]bool{},
		cycles: map[string]int{}, tell: tell, ctx: ctrl.LoggerInto(context.Background(), logr.Discard()),
	}
	if tell != nil {
		w.ctx = ctrl.LoggerInto(context.Background(), w.logger())
	}
	w.begin()
	w.monitor = newMonitor(w)
	w.server.Committed = w.monitor.committed
	w.leader = w.newProcess()
	return w
}

// begin furnishes a world, or has it begin as the one before did.
func (w *world) begin() {
	if before, ok := begun.Load(w.spec); ok {
		w.server, w.made = before.(*world).server.Copy(), w.spec.Machines
		w.server.Now = w.clock.Now
		w.admin = &apimodel.Client{Server: w.server}
		return
	}
	w.server = &apimodel.Server{Scheme: scheme, Indexes: indexes, Now: w.clock.Now}
	w.admin = &apimodel.Client{Server: w.server}
	w.furnish()
	w.server.Begin()
	begun.Store(w.spec, &world{server: w.server.Copy()})
}

// begun are the worlds as they are at the beginning, by Spec.
var begun sync.Map

// say writes down what happens.
func (w *world) say(format string, args ...any) {
	if w.tell != nil {
		w.tell(fmt.Sprintf("%s  %s", w.clock.now.Sub(start), fmt.Sprintf(format, args...)))
	}
}

// fail ends the run. The first failure counts.
func (w *world) fail(rule, format string, args ...any) {
	if w.failure == nil {
		w.failure = &Failure{Rule: rule, Message: fmt.Sprintf(format, args...)}
		w.say("FAILED: %s", w.failure)
		w.sayRecords()
	}
}

// sayRecords says how the records stand.
func (w *world) sayRecords() {
	for _, r := range every[*v1alpha1.MachineRemediation](w, recordKind) {
		w.say("      record %s is %s: %s, granted %d, given back %d", r.Name, r.Status.Phase, progress(r).Message, r.Spec.Grant, r.Status.ReleasedGrant)
		for _, attempt := range r.Status.Attempts {
			w.say("        attempt %d, step %s, made something %t, ended %v %s", attempt.Number, attempt.Step, attempt.ObjectRef != nil, attempt.EndTime != nil, attempt.Result)
		}
	}
}

// Failure says which rule was broken, and how.
type Failure struct{ Rule, Message string }

// Error implements error.
func (f *Failure) Error() string { return f.Rule + ": " + f.Message }

// pick lets something unusual happen, unless the run is over or everything is quiet by now.
func (w *world) pick(kind point, options func() []option) (string, bool) {
	if w.quiet || w.failure != nil {
		return "", false
	}
	name, picked := w.choices.pick(kind, options)
	return name, picked
}
