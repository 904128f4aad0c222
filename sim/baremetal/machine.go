package baremetal

import (
	"context"
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/utils/clock"
)

// Change is a moment at which a machine got or lost its power.
type Change struct {
	At      time.Time
	Running bool
	// Why says who caused it, for people.
	Why string
	// Ramdisk is true if the machine booted a system that is not its own.
	Ramdisk bool
}

// machine is the physical state of a host. Host.mu guards it.
type machine struct {
	history []Change
	boots   int
	bootID  string

	// run is the run of the program since the last boot.
	run run
}

// run is one run of a program.
type run struct {
	// end cancels the program, and ended is closed when the program has returned.
	end   context.CancelFunc
	ended chan struct{}
}

// launch runs a program, if any, after some time.
func launch(ctx context.Context, c clock.Clock, program Program, after time.Duration, boot Boot) run {
	ctx, cancel := context.WithCancel(ctx)
	r := run{end: cancel, ended: make(chan struct{})}
	go func() {
		defer close(r.ended)
		if program != nil && wait(ctx, c, after) {
			program(ctx, boot)
		}
	}()
	return r
}

// wait waits for d. It returns false if the context ends first.
func wait(ctx context.Context, c clock.Clock, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := c.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C():
		return ctx.Err() == nil
	}
}

func (m *machine) running() bool {
	return len(m.history) > 0 && m.history[len(m.history)-1].Running
}

// at reports whether a machine had power at a moment. It has none before its first change.
func at(history []Change, t time.Time) bool {
	for _, change := range slices.Backward(history) {
		if !change.At.After(t) {
			return change.Running
		}
	}
	return false
}

// ByOrder is the reason of power changes that the operator ordered.
const ByOrder = "order of the operator"

// Other reasons of power changes.
const (
	byButton    = "button"
	byServicing = "firmware update"
	byWipe      = "deprovisioning"
	byEnd       = "end of the simulation"
)

// powerOn gives the machine power unless it has power. The caller holds h.switching.
func (h *Host) powerOn(why string, ramdisk bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.machine.running() {
		h.boot(why, ramdisk)
	}
}

// powerOff cuts the machine's power if it has power. The caller holds h.switching.
func (h *Host) powerOff(why string) {
	running := h.endProgram()
	h.mu.Lock()
	defer h.mu.Unlock()
	if running {
		h.cut(why)
	}
}

// reset reboots a machine without any moment at which it is seen off. The caller holds
// h.switching.
func (h *Host) reset(why string, ramdisk bool) {
	running := h.endProgram()
	h.mu.Lock()
	defer h.mu.Unlock()
	if running {
		h.cut(why)
	}
	h.boot(why, ramdisk)
}

// endProgram ends the program and waits until it has returned. It reports whether the
// machine has power.
func (h *Host) endProgram() bool {
	h.mu.Lock()
	run, running := h.machine.run, h.machine.running()
	h.mu.Unlock()
	if running {
		run.end()
		<-run.ended
	}
	return running
}

// boot and cut write the history. The caller holds h.mu.
func (h *Host) boot(why string, ramdisk bool) {
	now := h.clock.Now()
	m := &h.machine
	m.boots++
	m.bootID = string(uuid.NewUUID())
	m.history = append(m.history, Change{At: now, Running: true, Why: why, Ramdisk: ramdisk})
	program := h.program
	if ramdisk || h.faults.Hangs {
		program = nil
	}
	boot := Boot{Namespace: h.key.Namespace, Name: h.key.Name, ID: m.bootID, Number: m.boots, At: now}
	m.run = h.launch(program, h.faults.BootTakes, boot)
}

func (h *Host) cut(why string) {
	h.machine.history = append(h.machine.history, Change{At: h.clock.Now(), Why: why})
}

// String implements fmt.Stringer, for test logs.
func (c Change) String() string {
	return c.At.Format("15:04:05.000") + " running=" + strconv.FormatBool(c.Running) + " (" + c.Why + ")"
}
