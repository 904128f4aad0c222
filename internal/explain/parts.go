package explain

import "time"

// Verdict is what is decided about the health of a machine, as it is stored.
type Verdict struct {
	// Status is True, False or Unknown.
	Status string `json:"status"`
	// Reason names the rule that has decided.
	Reason  string    `json:"reason"`
	Message string    `json:"message,omitempty"`
	Since   time.Time `json:"since"`
}

// Gate is the arithmetic of triggerIf.
type Gate struct {
	// Open reports whether it lets repairs begin.
	Open bool `json:"open"`
	// Expected machines are counted; each of them is in one of the other numbers.
	Expected  int `json:"expected"`
	Healthy   int `json:"healthy"`
	Sick      int `json:"sick"`
	Undecided int `json:"undecided"`
	Deleting  int `json:"deleting"`
	// NotHealthy is what is compared with Most.
	NotHealthy int `json:"notHealthy"`
	// Most may be not healthy; absent if there is no limit.
	Most *int `json:"most,omitempty"`
	// Limit is as it is written in triggerIf.
	Limit string `json:"limit,omitempty"`
}

// Slots are those of a MachineHealthCheck.
type Slots struct {
	InUse int `json:"inUse"`
	// Of is how many there are; absent if there is no bound.
	Of *int `json:"of,omitempty"`
	// By are the machines that have one.
	By []string `json:"by,omitempty"`
}

// Line is where a machine stands in a line.
type Line struct {
	// Place counts from 1.
	Place int `json:"place"`
	Of    int `json:"of"`
	// For says in one word what it waits for.
	For string `json:"for"`
}

// StepState says how far a step of a plan is.
type StepState string

// The states of a step.
const (
	// StepDone: it was tried, and another one has followed.
	StepDone StepState = "Done"
	// StepSkipped: the repair began after it, or went on past it.
	StepSkipped StepState = "Skipped"
	// StepNow: it is at work, or waited for.
	StepNow StepState = "Now"
	// StepAhead: it has not come yet.
	StepAhead StepState = "Ahead"
	// StepUnneeded: the repair has ended before it.
	StepUnneeded StepState = "Unneeded"
)

// Step is a rung of the ladder that a repair climbs.
type Step struct {
	Name   string    `json:"name"`
	Action string    `json:"action"`
	State  StepState `json:"state"`
	// Tried is how many attempts of it count, of at most Attempts.
	Tried    int `json:"tried"`
	Attempts int `json:"attempts"`
	// TimeoutSeconds is how long one attempt may take; 0 if a person ends it.
	TimeoutSeconds int64 `json:"timeoutSeconds,omitempty"`
	// NeedsApproval reports that a person has to agree.
	NeedsApproval bool `json:"needsApproval,omitempty"`
}

// Tried is an attempt with what is known of it.
type Tried struct {
	Number int `json:"number"`
	// Name is as people count: reboot 1 of 2.
	Name  string     `json:"name"`
	Step  string     `json:"step"`
	Start *time.Time `json:"start,omitempty"`
	End   *time.Time `json:"end,omitempty"`
	// Result is empty while it is at work, and while it has to prove that it helped; Said says it in words.
	Result string `json:"result,omitempty"`
	Said   string `json:"said"`
	// Message is the proof, in one sentence.
	Message string `json:"message,omitempty"`
	// Object is what it has made, as kind/name.
	Object string `json:"object,omitempty"`
	// Decision is what a person has decided about it, and why.
	Decision string `json:"decision,omitempty"`
}

// SpanKind says what a time was spent on.
type SpanKind string

// The kinds of spans.
const (
	// SpanSick: the machine was sick, and its repair not admitted.
	SpanSick SpanKind = "Sick"
	// SpanWaiting: the repair waited.
	SpanWaiting SpanKind = "Waiting"
	// SpanAttempt: an attempt was at work.
	SpanAttempt SpanKind = "Attempt"
	// SpanProbation: the machine was healthy, and had to stay so.
	SpanProbation SpanKind = "Probation"
	// SpanHeld: a person had to decide.
	SpanHeld SpanKind = "Held"
)

// Span is a part of the time that a repair took. Spans follow on each other.
type Span struct {
	Kind  SpanKind  `json:"kind"`
	Label string    `json:"label"`
	From  time.Time `json:"from"`
	To    time.Time `json:"to"`
	// Open reports that it goes on.
	Open bool `json:"open,omitempty"`
	// Result is that of the attempt.
	Result string `json:"result,omitempty"`
}

// Repairing is a MachineRemediation as it is drawn.
type Repairing struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Machine   string `json:"machine"`
	// Phase is how far it is, and Outcome how it has ended; empty while it goes on.
	Phase   string `json:"phase"`
	Outcome string `json:"outcome,omitempty"`
	// Plan names the MachineRemediationTemplate; empty if the plan is built in.
	Plan     string  `json:"plan,omitempty"`
	Steps    []Step  `json:"steps,omitempty"`
	Attempts []Tried `json:"attempts,omitempty"`
	Spans    []Span  `json:"spans,omitempty"`
}

// Command is something that a person can do.
type Command struct {
	// Verb is approve, deny, retry, cancel, hold or release.
	Verb string `json:"verb"`
	// Object is kind/name, as the command takes it.
	Object    string `json:"object"`
	Namespace string `json:"namespace"`
	// Step is the one from which retry goes on; empty means the one that was tried last.
	Step string `json:"step,omitempty"`
	// Does says what comes of it.
	Does string `json:"does"`
	// Line is what is typed, without the name by which Sickbay is called.
	Line string `json:"line"`
}
