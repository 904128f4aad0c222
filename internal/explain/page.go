package explain

import "time"

// APIVersion is the version of the pages for programs. Within a version, fields are only added; none is renamed or changes its
// meaning.
const APIVersion = "explain.sickbay.dev/v1"

// Page explains one object, to people and to programs.
type Page struct {
	APIVersion string `json:"apiVersion"`
	// Kind is Machine, MachineHealthCheck, MachineRemediation, BareMetalHost or Cluster.
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Cluster is the object's cluster; empty if it has none.
	Cluster string `json:"cluster,omitempty"`
	// At is when the facts were read.
	At time.Time `json:"at"`
	// State is the machine's state; empty for other objects.
	State State `json:"state,omitempty"`
	// Headline sums the page up in one sentence.
	Headline string `json:"headline"`
	// Rows are the rest of the page, most urgent first.
	Rows []Row `json:"rows,omitempty"`
	// Next is what happens by itself if nothing else changes, earliest first.
	Next []Upcoming `json:"next,omitempty"`
	// Otherwise says what would change the course of events.
	Otherwise []string `json:"otherwise,omitempty"`
	// Verdict is the verdict on a machine; absent if there is none.
	Verdict *Verdict `json:"verdict,omitempty"`
	// Gate and Slots belong to its MachineHealthCheck; Line is its place in line.
	Gate  *Gate  `json:"gate,omitempty"`
	Slots *Slots `json:"slots,omitempty"`
	Line  *Line  `json:"line,omitempty"`
	// Plan has the steps of a repair that would begin now; Repair is the open repair, or the last one.
	Plan   []Step     `json:"plan,omitempty"`
	Repair *Repairing `json:"repair,omitempty"`
	// Commands are what a person can do.
	Commands []Command `json:"commands,omitempty"`
}

// Row answers one question.
type Row struct {
	Label string `json:"label"`
	Text  string `json:"text"`
}

// Upcoming is something that happens by itself at a time, if nothing else changes.
type Upcoming struct {
	At        time.Time `json:"at"`
	Namespace string    `json:"namespace"`
	Cluster   string    `json:"cluster,omitempty"`
	// Name is the name of the machine or MachineHealthCheck that it happens to.
	Name string `json:"name"`
	What string `json:"what"`
}

// State is the state of a machine.
type State string

// The states of a machine. A machine is in exactly one.
const (
	// StateHealthy: the verdict is True, and nothing is under way.
	StateHealthy State = "Healthy"
	// StateSick: the verdict is False, and no repair has begun.
	StateSick State = "Sick"
	// StateUndecided: there is no verdict yet, or it is Unknown.
	StateUndecided State = "Undecided"
	// StateInRepair: an attempt is running.
	StateInRepair State = "InRepair"
	// StateProbation: it was repaired, is healthy, and must stay so for a while.
	StateProbation State = "Probation"
	// StateHeld: a person decides.
	StateHeld State = "Held"
	// StateOnHold: it is sick, and somebody has put repairs on hold until a set time.
	StateOnHold State = "OnHold"
	// StatePaused: the Machine, its MachineHealthCheck or its Cluster is paused.
	StatePaused State = "Paused"
	// StateDeleting: the Machine is being deleted.
	StateDeleting State = "Deleting"
	// StateUnwatched: no MachineHealthCheck looks after it.
	StateUnwatched State = "Unwatched"
	// StateGone: the Machine no longer exists, but records of it do.
	StateGone State = "Gone"
)

// stateWords are the words for states after a number of machines.
var stateWords = map[State]string{
	StateHealthy: "healthy", StateSick: "sick", StateUndecided: "undecided", StateInRepair: "in repair", StateProbation: "in probation", StateHeld: "held",
	StateOnHold: "sick and on hold", StatePaused: "paused", StateDeleting: "being deleted", StateUnwatched: "not managed", StateGone: "gone",
}

// Words returns the words for a state.
func (s State) Words() string { return stateWords[s] }

func (p *Page) row(label, text string) {
	if text != "" {
		p.Rows = append(p.Rows, Row{label, text})
	}
}
