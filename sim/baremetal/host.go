package baremetal

import (
	"context"
	"slices"
	"sync"
	"time"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Host is the machine behind a BareMetalHost and its BMC. It exists before the object does, without
// power, and stays when the object goes: nobody carries it out of the rack.
type Host struct {
	key     client.ObjectKey
	clock   clock.WithTickerAndDelayedExecution
	options Options
	launch  func(Program, time.Duration, Boot) run

	// switching is held while the machine's power changes, as that waits for the program.
	switching sync.Mutex

	mu      sync.Mutex
	program Program
	faults  Faults
	// frozen is how much of the history the BMC showed before it stopped to answer.
	frozen  int
	machine machine
	bmc     bmc
	closed  bool
}

// NewHost returns a machine of which no operator knows: Press alone switches it. What runs on it ends with ctx.
func NewHost(ctx context.Context, key client.ObjectKey, o Options) *Host {
	return newHost(ctx, key, o.withDefaults())
}

func newHost(life context.Context, key client.ObjectKey, o Options) *Host {
	return &Host{
		key: key, clock: o.Clock, options: o, program: o.Program,
		launch: func(p Program, after time.Duration, boot Boot) run { return launch(life, o.Clock, p, after, boot) },
	}
}

// Set replaces the faults of the host. An order that is under way keeps its pace.
func (h *Host) Set(f Faults) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if f.Unreachable && !h.faults.Unreachable {
		h.frozen = len(h.machine.history)
	}
	h.faults = f
}

// Faults returns what is wrong with the host, with what is left of FailOff, FailOn and Servicing.
func (h *Host) Faults() Faults {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.faults
}

// Runs has the machine run another program from its next boot on.
func (h *Host) Runs(p Program) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.program = p
}

// Press switches the machine by hand, and returns when it is done. No fault keeps it from that.
func (h *Host) Press(on bool) {
	h.switching.Lock()
	defer h.switching.Unlock()
	if on {
		h.powerOn(byButton, false)
		return
	}
	h.powerOff(byButton)
}

// Running says whether the machine has power, in truth.
func (h *Host) Running() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.machine.running()
}

// OffAt says whether the machine was without power at a moment.
func (h *Host) OffAt(t time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !at(h.machine.history, t)
}

// OffDuring says whether the machine was without power all the time from one moment to another.
func (h *Host) OffDuring(from, to time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !at(h.machine.history, from) && !slices.ContainsFunc(h.machine.history, func(c Change) bool {
		return c.Running && c.At.After(from) && !c.At.After(to)
	})
}

// Boots is how often the machine got power.
func (h *Host) Boots() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.machine.boots
}

// BootID names the machine's last boot; empty before the first.
func (h *Host) BootID() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.machine.bootID
}

// PowerCycles is how often the machine lost its power and got it back.
func (h *Host) PowerCycles() int { return max(h.Boots()-1, 0) }

// Looks is how often the operator has looked at the power of the machine.
func (h *Host) Looks() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.bmc.looks
}

// History is every change of the machine's power, oldest first.
func (h *Host) History() []Change {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.machine.history)
}

// close takes the power away for good.
func (h *Host) close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.switching.Lock()
	defer h.switching.Unlock()
	h.powerOff(byEnd)
}
