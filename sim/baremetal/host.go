package baremetal

import (
	"context"
	"slices"
	"sync"
	"time"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Host is the machine behind a BareMetalHost and its BMC. It exists, without power, before the object is
// created, and stays when the object is deleted.
type Host struct {
	key     client.ObjectKey
	clock   clock.WithTickerAndDelayedExecution
	options Options
	launch  func(Program, time.Duration, Boot) run

	// switching is held while the machine's power changes, because that waits for the program.
	switching sync.Mutex

	mu      sync.Mutex
	program Program
	faults  Faults
	// frozen is how much of the history the BMC showed before it stopped answering.
	frozen  int
	machine machine
	bmc     bmc
	closed  bool
}

// NewHost returns a machine that no operator knows: only Press switches it. Whatever runs on it ends with ctx.
func NewHost(ctx context.Context, key client.ObjectKey, o Options) *Host {
	return newHost(ctx, key, o.withDefaults())
}

func newHost(life context.Context, key client.ObjectKey, o Options) *Host {
	return &Host{
		key: key, clock: o.Clock, options: o, program: o.Program,
		launch: func(p Program, after time.Duration, boot Boot) run { return launch(life, o.Clock, p, after, boot) },
	}
}

// Set replaces the faults of the host. An order in progress keeps its timing.
func (h *Host) Set(f Faults) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if f.Unreachable && !h.faults.Unreachable {
		h.frozen = len(h.machine.history)
	}
	h.faults = f
}

// Faults returns the faults of the host. FailOff, FailOn and Servicing are what is left of them.
func (h *Host) Faults() Faults {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.faults
}

// Runs sets the program that the machine runs from its next boot on.
func (h *Host) Runs(p Program) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.program = p
}

// Press switches the machine by hand, and returns when it is done. No fault prevents it.
func (h *Host) Press(on bool) {
	h.switching.Lock()
	defer h.switching.Unlock()
	if on {
		h.powerOn(byButton, false)
		return
	}
	h.powerOff(byButton)
}

// Running reports whether the machine really has power.
func (h *Host) Running() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.machine.running()
}

// OffAt reports whether the machine had no power at a moment.
func (h *Host) OffAt(t time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !at(h.machine.history, t)
}

// OffDuring reports whether the machine had no power during the whole interval.
func (h *Host) OffDuring(from, to time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !at(h.machine.history, from) && !slices.ContainsFunc(h.machine.history, func(c Change) bool {
		return c.Running && c.At.After(from) && !c.At.After(to)
	})
}

// Boots returns how often the machine got power.
func (h *Host) Boots() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.machine.boots
}

// BootID returns the ID of the machine's last boot; empty before the first.
func (h *Host) BootID() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.machine.bootID
}

// PowerCycles returns how often the machine lost its power and got it back.
func (h *Host) PowerCycles() int { return max(h.Boots()-1, 0) }

// Looks returns how often the operator read the machine's power.
func (h *Host) Looks() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.bmc.looks
}

// History returns every change of the machine's power, oldest first.
func (h *Host) History() []Change {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.machine.history)
}

// close cuts the power for good.
func (h *Host) close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.switching.Lock()
	defer h.switching.Unlock()
	h.powerOff(byEnd)
}
