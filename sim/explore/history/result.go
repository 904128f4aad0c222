package history

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"

	"github.com/sickbay-dev/sickbay/sim/explore/rules"
	"github.com/sickbay-dev/sickbay/sim/explore/schedule"
)

// Result is the result of one run.
type Result struct {
	// Failure is nil if no rule was broken.
	Failure *rules.Failure
	// Schedule is where and how the run deviated from the usual course, and Words describe that for
	// people.
	Schedule schedule.Schedule
	Words    []string
	// Points is the number of points at which something else could have happened.
	Points int
	// Steps is the number of steps, and Virtual how much time passed.
	Steps   int
	Virtual time.Duration
	// States are the hashes of the states of the world, step by step.
	States []uint64
}

// Result returns the result of a world.
func (w *World) Result() Result {
	return Result{
		Failure: w.Failure, Schedule: w.choices.taken, Words: w.choices.words, Points: w.choices.at,
		Steps: w.steps, Virtual: w.clock.now.Sub(Start), States: w.states,
	}
}

// Story describes a run for people.
func (r Result) Story() string {
	if r.Failure == nil {
		return "no rule is broken"
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n", r.Failure)
	for i, d := range r.Schedule {
		fmt.Fprintf(&text, "  at point %d: %s\n", d.At, r.Words[i])
	}
	return text.String()
}

// logger returns a logger that adds the controllers' logs to the story.
func (w *World) logger() logr.Logger {
	return funcr.New(func(prefix, args string) { w.say("      log: %s %s", prefix, args) }, funcr.Options{})
}
