package simulate

import "time"

// Result is what would happen. Programs read it: its version is that of the pages of explain.
type Result struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	From       time.Time `json:"from"`
	Until      time.Time `json:"until"`
	// Assumptions say what is taken for granted about the world.
	Assumptions []string `json:"assumptions"`
	// Checks are the MachineHealthChecks as they are at the beginning.
	Checks []Check `json:"checks"`
	// Timeline is what happens, the earliest first.
	Timeline []Event `json:"timeline,omitempty"`
	Summary  Summary `json:"summary"`
}

// Check is a MachineHealthCheck as it is at the beginning.
type Check struct {
	Namespace string `json:"namespace"`
	Cluster   string `json:"cluster"`
	Name      string `json:"name"`
	// Change says how it, or its plan, differs from the one in the fleet: New, Changed, or empty if it does not.
	Change   Change `json:"change,omitempty"`
	Machines int    `json:"machines"`
	// Selector says which machines it selects.
	Selector string `json:"selector"`
	// Headline says in one sentence how it stands; Gate and Slots say with which numbers.
	Headline string `json:"headline"`
	Gate     string `json:"gate,omitempty"`
	Slots    string `json:"slots,omitempty"`
	// Plan names the steps of a repair.
	Plan string `json:"plan,omitempty"`
	// Overlap names the machines that it selects and that belong to older ones.
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
)

// Event is something that happens to machines of one MachineHealthCheck at one moment. It has the numbers as they are at its end.
type Event struct {
	At        time.Time `json:"at"`
	Namespace string    `json:"namespace"`
	Check     string    `json:"check"`
	Kind      Kind      `json:"kind"`
	// Machines are those that it happens to; none if it is about the MachineHealthCheck.
	Machines []string `json:"machines,omitempty"`
	What     string   `json:"what"`
	// NotHealthy of Expected machines are not healthy, which is what the gate goes by.
	NotHealthy int `json:"notHealthy"`
	Expected   int `json:"expected"`
	// InFlight of Slots are in use; Slots is left out if there is no bound.
	InFlight int  `json:"inFlight"`
	Slots    *int `json:"slots,omitempty"`
}

// Summary is the timeline in numbers.
type Summary struct {
	// Sick is how many machines are sick at some time, and Repaired on how many something is done. On UnderWay more it was done before the
	// beginning.
	Sick     int `json:"sick"`
	Repaired int `json:"repaired"`
	UnderWay int `json:"underWay,omitempty"`
	// Healthy, Replaced, InRepair and HeldBack are how those stand at the end that were sick; each is in one of them.
	Healthy  int    `json:"healthy"`
	Replaced int    `json:"replaced"`
	InRepair int    `json:"inRepair"`
	HeldBack []Held `json:"heldBack,omitempty"`
	// MostAtOnce is the largest number of repairs of one MachineHealthCheck in flight at one moment.
	MostAtOnce int `json:"mostAtOnce"`
	// Unfinished says that more happens than is followed, and until when it was; empty if all was.
	Unfinished string `json:"unfinished,omitempty"`
}

// Held are machines that are sick at the end and not in repair, and why.
type Held struct {
	Why      string   `json:"why"`
	Machines []string `json:"machines"`
}
