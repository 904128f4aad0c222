package baremetal

import (
	"context"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/utils/clock"
)

// Options shape the simulation. The zero value is good: times are a hundredth of production's.
type Options struct {
	// Namespaces are those whose hosts the operator manages. Default: all.
	Namespaces []string

	// Poll is how long the operator leaves a host alone on which there is nothing to do. Until then it
	// does not see what it has not done itself. 60 s in production; default 600 ms.
	Poll time.Duration

	// Retry is how long it waits for an order that is being carried out, and before it repeats one
	// that was refused. 3 s in production; default 30 ms.
	Retry time.Duration

	// Backoff is the unit of its patience after an error: the n-th error is followed by a pause of
	// half to all of 2^n units, n being at most 9, unless a poll was due before. A minute in production; default 600 ms.
	Backoff time.Duration

	// SoftTimeout is how long the BMC waits for an operating system that was asked to shut down. 180 s
	// in production; default 1.8 s.
	SoftTimeout time.Duration

	// Program runs on every machine that was not given one of its own by Host.Runs.
	Program Program

	// Clock is what everything waits for and dates with. Default: the real time.
	Clock clock.WithTickerAndDelayedExecution

	// Log receives what the operator and its libraries say. Default: nobody.
	Log logr.Logger
}

// Program is what runs on a machine: it is started at each boot, and its context ends when the machine
// is about to lose power. The machine is off when the program has returned, so what a program does to
// the world it does to while its machine is on. It must return soon, and must not switch its own
// machine.
type Program func(ctx context.Context, boot Boot)

// Boot is one boot of a machine.
type Boot struct {
	// Namespace and Name are those of the host.
	Namespace, Name string
	// ID is unlike that of any other boot, as a Node's status.nodeInfo.bootID.
	ID string
	// Number counts a machine's boots from 1.
	Number int
	// At is when the power came.
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
