package explain

import "time"

// Verdict is the stored verdict on a machine.
type Verdict struct {
	// Status is True, False or Unknown.
	Status string `json:"status"`
	// Reason names the rule that decided.
	Reason  string    `json:"reason"`
	Message string    `json:"message,omitempty"`
	Since   time.Time `json:"since"`
}

// Gate has the numbers of triggerIf.
type Gate struct {
	// Open reports whether it lets repairs begin.
	Open bool `json:"open"`
	// Expected is how many machines there are. Healthy, Sick, Undecided and Deleting add up to it.
	Expected  int `json:"expected"`
	Healthy   int `json:"healthy"`
	Sick      int `json:"sick"`
	Undecided int `json:"undecided"`
	Deleting  int `json:"deleting"`
	// NotHealthy is the number that is compared with Most.
	NotHealthy int `json:"notHealthy"`
	// Most is how many may be not healthy; absent if there is no limit.
	Most *int `json:"most,omitempty"`
	// Limit is the limit as triggerIf has it.
	Limit string `json:"limit,omitempty"`
}

// Slots are the slots of a MachineHealthCheck.
type Slots struct {
	InUse int `json:"inUse"`
	// Of is how many there are; absent if there is no limit.
	Of *int `json:"of,omitempty"`
	// By names the machines that have one.
	By []string `json:"by,omitempty"`
}

// Line is a machine's place in line.
type Line struct {
	// Place counts from 1.
	Place int `json:"place"`
	Of    int `json:"of"`
	// For is the reason why it waits, in one word.
	For string `json:"for"`
}

// StepState is the state of a step of a plan.
type StepState string

// The states of a step.
const (
	// StepDone: it was tried, and the repair has gone on or ended.
	StepDone StepState = "Done"
	// StepSkipped: the repair began after it, or skipped it.
	StepSkipped StepState = "Skipped"
	// StepNow: it is the current step, running or waiting.
	StepNow StepState = "Now"
	// StepAhead: it has not come yet.
	StepAhead StepState = "Ahead"
	// StepUnneeded: the repair ended before it.
	StepUnneeded StepState = "Unneeded"
)

// Step is a step of a plan.
type Step struct {
	Name   string    `json:"name"`
	Action string    `json:"action"`
	State  StepState `json:"state"`
	// Tried is how many attempts count so far, of at most Attempts.
	Tried    int `json:"tried"`
	Attempts int `json:"attempts"`
	// TimeoutSeconds is how long one attempt may take; 0 if a person ends it.
	TimeoutSeconds int64 `json:"timeoutSeconds,omitempty"`
	// NeedsApproval reports that a person must approve it.
	NeedsApproval bool `json:"needsApproval,omitempty"`
}

// Tried is an attempt, with its result.
type Tried struct {
	Number int `json:"number"`
	// Name is the step with its count, such as "reboot 1 of 2".
	Name  string     `json:"name"`
	Step  string     `json:"step"`
	Start *time.Time `json:"start,omitempty"`
	End   *time.Time `json:"end,omitempty"`
	// Result is empty while the attempt runs or its probation lasts; Said is the result in words.
	Result string `json:"result,omitempty"`
	Said   string `json:"said"`
	// Message says in one sentence how the attempt ended.
	Message string `json:"message,omitempty"`
	// Object is the object that it created or acts on, as kind/name.
	Object string `json:"object,omitempty"`
	// Decision is a person's decision about it, with the reason.
	Decision string `json:"decision,omitempty"`
}

// SpanKind says how time was spent.
type SpanKind string

// The kinds of spans.
const (
	// SpanSick: the machine was sick, and its repair was not yet admitted.
	SpanSick SpanKind = "Sick"
	// SpanWaiting: the repair waited.
	SpanWaiting SpanKind = "Waiting"
	// SpanAttempt: an attempt was running.
	SpanAttempt SpanKind = "Attempt"
	// SpanProbation: the machine was healthy, and had to stay so.
	SpanProbation SpanKind = "Probation"
	// SpanHeld: a person had to decide.
	SpanHeld SpanKind = "Held"
)

// Span is a part of the duration of a repair. Each begins where the one before ends.
type Span struct {
	Kind  SpanKind  `json:"kind"`
	Label string    `json:"label"`
	From  time.Time `json:"from"`
	To    time.Time `json:"to"`
	// Open reports that it has not ended.
	Open bool `json:"open,omitempty"`
	// Result is the attempt's result.
	Result string `json:"result,omitempty"`
}

// Repairing has the figures of a MachineRemediation.
type Repairing struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Machine   string `json:"machine"`
	// Phase is the record's phase, and Outcome is how it ended; empty while it is open.
	Phase   string `json:"phase"`
	Outcome string `json:"outcome,omitempty"`
	// Plan names the MachineRemediationTemplate; empty for a built-in plan.
	Plan     string  `json:"plan,omitempty"`
	Steps    []Step  `json:"steps,omitempty"`
	Attempts []Tried `json:"attempts,omitempty"`
	Spans    []Span  `json:"spans,omitempty"`
}

// Command is a command that a person can give.
type Command struct {
	// Verb is approve, deny, retry, cancel, hold or release.
	Verb string `json:"verb"`
	// Object is kind/name, as the command takes it.
	Object    string `json:"object"`
	Namespace string `json:"namespace"`
	// Step is the step from which retry continues; empty means the last one that was tried.
	Step string `json:"step,omitempty"`
	// Does says what the command leads to.
	Does string `json:"does"`
	// Line is the command line without the name of the binary.
	Line string `json:"line"`
}
