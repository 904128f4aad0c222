package baremetal

import (
	"context"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/utils/clock"
)

// Options are the options of the simulation. With the zero value, times are a hundredth of production's.
type Options struct {
	// Namespaces are the namespaces whose hosts the operator manages. Default: all.
	Namespaces []string

	// Poll is how long the operator leaves an idle host alone. Until then, it does not see changes that others made. 60
	// s in production; default 600 ms.
	Poll time.Duration

	// Retry is how long it waits for an order in progress, and before it repeats a refused one. 3 s in production;
	// default 30 ms.
	Retry time.Duration

	// Backoff is the unit of the pause after an error: after the n-th error, the operator pauses for half to all of 2^n
	// units, with n at most 9, unless a poll is due earlier. A minute in production; default 600 ms.
	Backoff time.Duration

	// SoftTimeout is how long the BMC waits for an operating system to shut down. 180 s in production; default 1.8 s.
	SoftTimeout time.Duration

	// Program runs on every machine without a program of its own (Host.Runs).
	Program Program

	// Clock is the clock of the simulation. Default: the real time.
	Clock clock.WithTickerAndDelayedExecution

	// Log receives the logs of the operator and its libraries. Default: discard them.
	Log logr.Logger
}

// Program is what runs on a machine: it starts at each boot, and its context ends when the machine is about to lose
// power. The machine is off only after the program has returned, so whatever a program does happens while its machine
// is on. It must return soon, and must not switch its own machine.
type Program func(ctx context.Context, boot Boot)

// Boot is one boot of a machine.
type Boot struct {
	// Namespace and Name identify the host.
	Namespace, Name string
	// ID is unique among all boots, like a Node's status.nodeInfo.bootID.
	ID string
	// Number counts a machine's boots from 1.
	Number int
	// At is when the machine got power.
	At time.Time
}

func (o Options) withDefaults() Options {
	setDefault(&o.Poll, 600*time.Millisecond)
	setDefault(&o.Retry, 30*time.Millisecond)
	setDefault(&o.Backoff, 600*time.Millisecond)
	setDefault(&o.SoftTimeout, 1800*time.Millisecond)
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	if o.Log.GetSink() == nil {
		o.Log = logr.Discard()
	}
	return o
}

func setDefault(d *time.Duration, value time.Duration) {
	if *d == 0 {
		*d = value
	}
}
