package simulate

import (
	"fmt"
	"strings"
	"time"
)

// Result is what would happen. Programs read it; its version is that of explain's pages.
type Result struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	From       time.Time `json:"from"`
	Until      time.Time `json:"until"`
	// Assumptions are the assumptions about the world.
	Assumptions []string `json:"assumptions"`
	// Checks are the MachineHealthChecks at the beginning.
	Checks []Check `json:"checks"`
	// Timeline is what happens, earliest first.
	Timeline []Event `json:"timeline,omitempty"`
	Summary  Summary `json:"summary"`
}

// Check is a MachineHealthCheck at the beginning.
type Check struct {
	Namespace string `json:"namespace"`
	Cluster   string `json:"cluster"`
	Name      string `json:"name"`
	// Change says how it or its plan differs from the fleet's: New, Changed, or empty if it does not.
	Change   Change `json:"change,omitempty"`
	Machines int    `json:"machines"`
	// Selector says which machines it selects.
	Selector string `json:"selector"`
	// Nothing says why no machine belongs to it, and what is one letter away; empty if one does.
	Nothing string `json:"nothing,omitempty"`
	// Headline describes its state in one sentence; Gate and Slots have the numbers.
	Headline string `json:"headline"`
	Gate     string `json:"gate,omitempty"`
	Slots    string `json:"slots,omitempty"`
	// Plan names the steps of a repair.
	Plan string `json:"plan,omitempty"`
	// Overlap names the machines that it selects but leaves to MachineHealthChecks of another controller.
	Overlap string `json:"overlap,omitempty"`
}

// Change says how a MachineHealthCheck differs from the one in the fleet.
type Change string

// The changes.
const (
	New     Change = "New"
	Changed Change = "Changed"
)

// Kind says what an event is about.
type Kind string

// The kinds of events.
const (
	KindFails     Kind = "Fails"
	KindSick      Kind = "Sick"
	KindUndecided Kind = "Undecided"
	KindHealthy   Kind = "Healthy"
	KindGone      Kind = "Gone"
	KindGate      Kind = "Gate"
	KindAdmitted  Kind = "Admitted"
	KindRepair    Kind = "Repair"
	KindWaits     Kind = "Waits"
	KindWould     Kind = "Would"
	KindLoop      Kind = "Loop"
)

// Event is something that happens to machines of one MachineHealthCheck at one moment. It has the numbers at the end of the moment.
type Event struct {
	At        time.Time `json:"at"`
	Namespace string    `json:"namespace"`
	Check     string    `json:"check"`
	Kind      Kind      `json:"kind"`
	// Machines are the machines that it happens to; none if it is about the MachineHealthCheck.
	Machines []string `json:"machines,omitempty"`
	What     string   `json:"what"`
	// Repeats reports that it only repeats what the timeline has said of these machines, or of those in whose places they are.
	Repeats bool `json:"repeats,omitempty"`
	// NotHealthy is how many of the Expected machines are not healthy; the gate compares it with its limit.
	NotHealthy int `json:"notHealthy"`
	Expected   int `json:"expected"`
	// InFlight is how many of the Slots are in use; Slots is absent if there is no limit.
	InFlight int  `json:"inFlight"`
	Slots    *int `json:"slots,omitempty"`
}

// Used says how many of the slots are in use; empty if there is no limit.
func (e *Event) Used() string {
	if e.Slots == nil {
		return ""
	}
	return fmt.Sprintf("%d of %d", e.InFlight, *e.Slots)
}

// Who names the machines of the event, or only the first few; empty if it is about the MachineHealthCheck.
func (e *Event) Who(all bool) string {
	const most = 3
	if n := len(e.Machines); n > most && !all {
		return fmt.Sprintf("%s and %d more", strings.Join(e.Machines[:most-1], ", "), n-most+1)
	}
	return strings.Join(e.Machines, ", ")
}

// Summary is the timeline in numbers.
type Summary struct {
	// Sick counts the machines that are sick at some time, and Repaired those that the simulation repairs. UnderWay counts others whose
	// repair began earlier.
	Sick     int `json:"sick"`
	Repaired int `json:"repaired"`
	UnderWay int `json:"underWay,omitempty"`
	// Healthy, Replaced, InRepair and HeldBack are the states, at the end, of the machines that were sick; each machine is in one of
	// them.
	Healthy  int    `json:"healthy"`
	Replaced int    `json:"replaced"`
	InRepair int    `json:"inRepair"`
	HeldBack []Held `json:"heldBack,omitempty"`
	// MostAtOnce is the largest number of repairs of one MachineHealthCheck in flight at once.
	MostAtOnce int `json:"mostAtOnce"`
	// Unfinished says that the simulation ended early, and when; empty if it did not.
	Unfinished string `json:"unfinished,omitempty"`
}

// Held has machines that are sick at the end and not in repair, and the reason.
type Held struct {
	Why      string   `json:"why"`
	Machines []string `json:"machines"`
}
