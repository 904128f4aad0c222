package explain

import "time"

// APIVersion is that of the pages as programs read them. Fields are added within a version, never renamed or given another meaning.
const APIVersion = "explain.sickbay.dev/v1"

// Page explains one object to a person, and the same to a program.
type Page struct {
	APIVersion string `json:"apiVersion"`
	// Kind is what is explained: Machine, MachineHealthCheck, MachineRemediation, BareMetalHost or Cluster.
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Cluster is the one that it belongs to; empty if it belongs to none.
	Cluster string `json:"cluster,omitempty"`
	// At is when the facts were read.
	At time.Time `json:"at"`
	// State sums it up in one word.
	State State `json:"state,omitempty"`
	// Headline says it in one sentence.
	Headline string `json:"headline"`
	// Rows say the rest, the most urgent first.
	Rows []Row `json:"rows,omitempty"`
	// Next is what happens by itself, if nothing else changes, the earliest first.
	Next []Upcoming `json:"next,omitempty"`
	// Otherwise says what would have to change for it to go otherwise.
	Otherwise []string `json:"otherwise,omitempty"`
	// Verdict is that on a machine; absent if there is none.
	Verdict *Verdict `json:"verdict,omitempty"`
	// Gate and Slots are those of its MachineHealthCheck, and Line is where it waits.
	Gate  *Gate  `json:"gate,omitempty"`
	Slots *Slots `json:"slots,omitempty"`
	Line  *Line  `json:"line,omitempty"`
	// Plan are the steps of a repair that would begin now; Repair is the one that goes on, or the last.
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
	// Name is that of the machine or MachineHealthCheck that it happens to.
	Name string `json:"name"`
	What string `json:"what"`
}

// State is where a machine stands.
type State string

// The states of a machine. Each has one.
const (
	// StateHealthy: the verdict is True, and nothing is under way.
	StateHealthy State = "Healthy"
	// StateSick: the verdict is False, and no repair has begun.
	StateSick State = "Sick"
	// StateUndecided: there is no verdict yet, or it is Unknown.
	StateUndecided State = "Undecided"
	// StateInRepair: an attempt is at work.
	StateInRepair State = "InRepair"
	// StateProbation: it was repaired and is healthy, and has to stay so for a while.
	StateProbation State = "Probation"
	// StateHeld: a person decides.
	StateHeld State = "Held"
	// StateOnHold: somebody holds repairs back until a time.
	StateOnHold State = "OnHold"
	// StatePaused: the Machine, its MachineHealthCheck or its Cluster is paused.
	StatePaused State = "Paused"
	// StateDeleting: the Machine is being deleted.
	StateDeleting State = "Deleting"
	// StateUnwatched: no MachineHealthCheck looks after it.
	StateUnwatched State = "Unwatched"
	// StateGone: there is no such Machine any more; its records are.
	StateGone State = "Gone"
)

// stateWords are the states as people count them.
var stateWords = map[State]string{
	StateHealthy: "healthy", StateSick: "sick", StateUndecided: "undecided", StateInRepair: "in repair", StateProbation: "in probation", StateHeld: "held",
	StateOnHold: "sick and on hold", StatePaused: "paused", StateDeleting: "being deleted", StateUnwatched: "not looked after", StateGone: "gone",
}

// Words is a state as people say it.
func (s State) Words() string { return stateWords[s] }

func (p *Page) row(label, text string) {
	if text != "" {
		p.Rows = append(p.Rows, Row{label, text})
	}
}
