package baremetal

import (
	"fmt"
	"time"

	metal3api "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
)

// order is a change of power that a BMC can make.
type order string

const (
	none         order = ""
	orderOn      order = "power on"
	orderSoftOff order = "soft power off"
	orderOff     order = "power off"
	orderReboot  order = "reboot"
)

// bmc is the management controller that the operator talks to. Host.mu guards it.
type bmc struct {
	// current is the order in progress.
	current order
	// problem is why the last order failed; a new order clears it.
	problem string
	// serviced is when the running firmware update ends; zero if none runs.
	serviced time.Time
	// looks counts how often the operator read the power.
	looks int
}

// answer is the BMC's reply to a request for a power state.
type answer struct {
	// waiting is true while something is in progress.
	waiting bool
	// again is when to ask again; zero means at once.
	again time.Duration
	// problem is why the request failed.
	problem string
}

// power returns the power that the BMC reports; known is false if it reports none.
func (h *Host) power() (on, known bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.bmc.looks++
	if h.faults.PowerUnknown {
		return false, false
	}
	return h.shown(), true
}

func (h *Host) powerFailure() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.faults.PowerUnknown
}

// shown returns the power that the BMC shows, which may be out of date. The caller holds h.mu.
func (h *Host) shown() bool {
	history := h.machine.history
	if h.faults.Unreachable {
		history = history[:h.frozen]
	}
	return at(history, h.clock.Now().Add(-h.faults.Lag))
}

func (h *Host) isShown(on bool) bool { return !h.faults.PowerUnknown && h.shown() == on }

// wantOn asks the BMC to switch the machine on if it is not. Force is set after a known error.
func (h *Host) wantOn(force bool) answer {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.isShown(true):
		return answer{}
	case h.bmc.current == orderOn:
		return answer{waiting: true, again: h.options.Retry}
	case h.bmc.current == none && h.bmc.problem != "" && !force:
		return answer{problem: h.bmc.problem}
	}
	return h.give(orderOn)
}

// wantOff asks the BMC to switch the machine off if it is not. It waits for an order in progress,
// even if that one is soft and this one is hard.
func (h *Host) wantOff(mode metal3api.RebootMode, force, rebootInstead bool) answer {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.isShown(false):
		return answer{}
	case h.bmc.current == orderOff || h.bmc.current == orderSoftOff:
		return answer{waiting: true, again: h.options.Retry}
	case h.bmc.current == none && h.bmc.problem != "" && !force:
		return answer{problem: h.bmc.problem}
	case rebootInstead:
		return h.give(orderReboot)
	case mode == metal3api.RebootModeSoft && !force && !h.faults.SoftUnsupported:
		return h.give(orderSoftOff)
	}
	return h.give(orderOff)
}

// give starts an order unless the BMC is locked. The caller holds h.mu.
func (h *Host) give(o order) answer {
	if h.faults.Busy || h.bmc.current != none || h.closed {
		return answer{waiting: true, again: h.options.Retry}
	}
	h.bmc.current, h.bmc.problem = o, ""
	h.after(h.takes(o), func() { h.carryOut(o) })
	return answer{waiting: true}
}

// after calls do later, never before it returns, because its caller holds locks.
func (h *Host) after(d time.Duration, do func()) {
	if d <= 0 {
		go do()
		return
	}
	h.clock.AfterFunc(d, func() { go do() })
}

func (h *Host) takes(o order) time.Duration {
	switch {
	case o == orderSoftOff && h.faults.SoftIgnored:
		return h.options.SoftTimeout
	case o == orderOn:
		return h.faults.OnTakes
	case o == orderReboot:
		return h.faults.OffTakes + h.faults.OnTakes
	}
	return h.faults.OffTakes
}

// carryOut completes an order, or records why it failed.
func (h *Host) carryOut(o order) {
	problem := h.failure(o)
	if problem == "" {
		h.obey(o)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.bmc.current, h.bmc.problem = none, problem
}

func (h *Host) obey(o order) {
	h.switching.Lock()
	defer h.switching.Unlock()
	switch {
	case h.isClosed():
	case o == orderOn:
		h.powerOn(ByOrder, false)
	case o == orderReboot:
		h.reset(ByOrder, false)
	default:
		h.powerOff(ByOrder)
	}
}

func (h *Host) failure(o order) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	left := &h.faults.FailOff
	if o == orderOn {
		left = &h.faults.FailOn
	}
	switch {
	case h.faults.Unreachable || h.faults.PowerUnknown:
		return fmt.Sprintf("failed to %s: the BMC does not answer", o)
	case o == orderSoftOff && h.faults.SoftIgnored:
		return fmt.Sprintf("failed to %s: timed out", o)
	case *left > 0:
		*left--
		return fmt.Sprintf("failed to %s: the BMC reports an error", o)
	}
	return ""
}

func (h *Host) isClosed() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.closed
}

// servicePending reports whether a firmware update is running or waits for the machine to be off.
func (h *Host) servicePending() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.faults.Servicing > 0
}

// service starts the update unless it runs already, and reports whether it is still in progress.
func (h *Host) service() bool {
	h.switching.Lock()
	defer h.switching.Unlock()
	h.mu.Lock()
	takes, serviced, now := h.faults.Servicing, h.bmc.serviced, h.clock.Now()
	starts := takes > 0 && serviced.IsZero()
	if starts {
		h.bmc.serviced = now.Add(takes)
	}
	h.mu.Unlock()
	switch {
	case starts:
		h.reset(byServicing, true)
		return true
	case now.Before(serviced):
		return true
	case serviced.IsZero():
		return false
	}
	h.reset(byServicing, false)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.faults.Servicing, h.bmc.serviced = 0, time.Time{}
	return false
}

// wipe ends whatever runs on the machine.
func (h *Host) wipe() {
	h.switching.Lock()
	defer h.switching.Unlock()
	h.powerOff(byWipe)
}
