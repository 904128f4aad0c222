package rules

// The rules by which the monitor judges.
const (
	OneRecord  = "a machine has at most one open record, and at most one action at work"
	Health     = "only a live False acts, and only True proves"
	Look       = "everything that an act depends on is read live just before it, or tested by its write"
	Permission = "nothing is done that a live look forbids"
	Gate       = "nothing is done while the gate is closed"
	Intent     = "the intent is stored before the act, and the end before anything is withdrawn"
	Once       = "an attempt has at most one side effect"
	Slots      = "no more machines are under repair than there are slots"
	Bound      = "an act meets the very machine that was judged"
	Repaired   = "a machine that others write to all the time is repaired, too"
	Reason     = "what cannot go on names a reason"
	Part       = "while a health check is paused, what it selects is not called healthy"
	Starved    = "nobody waits because of another's fault"
	End        = "what ends leaves the machine healthy, gone, or to a person"
	Proven     = "a machine that relapses is not proven"
	Replaced   = "a replacement has succeeded when the machine is gone and, if the plan asks for it, its successor is proven"
	Undo       = "what has ended leaves nothing of ours on a living machine"
	Clock      = "a pause stops the clock of an attempt"
	Memory     = "a relapse continues after the last step that was tried"
	Decision   = "people come first"
	Writer     = "one writer for each field"
	Grant      = "grants and released grants only grow, one after the other"
	History    = "what is stored of an attempt that is over does not change"
	Rest       = "a world that is left alone settles"
	Recovery   = "once all faults end, all machines become healthy"
	Cache      = "nobody changes what a cache holds"
	Escalated  = "nothing goes past a step that nobody has begun"
	Paused     = "what nobody has begun is soon withdrawn under a pause"
	Recovered  = "a machine that has recovered is not deleted for its earlier sickness"
	Kept       = "no slot is kept for longer than an hour for what nobody begins"
	Effect     = "what people decide has its effect soon, under every pause"
	Again      = "only a repair that has begun is remembered"
	KeptOff    = "a host is kept off only for a power cycle that has stored that it begins, and has not let go of it"
	LetGo      = "no host is left off by mistake"
	ProvenOff  = "a Node is out of service only while its host is proven off"
	Restored   = "a Node gets back what it had"
	Plane      = "of a control plane, no two hosts are off at once"
	Rack       = "a budget of one never cycles two hosts"
	OneCycle   = "a machine has at most one power cycle at work"
	Consumed   = "every annotation and every request is consumed once"
	Deleted    = "a machine that somebody owns is deleted only by a plan that says so, and if its owner makes another one"
	Predicted  = "what explain says happens next is what happens next"
)

// The rules about health checks while a cluster upgrades.
const (
	Theirs       = "a person's pause is never taken away"
	AtOnce       = "a health check is paused as soon as an upgrade begins"
	NeedsUpgrade = "a health check is paused only for an upgrade that goes on"
	Overrides    = "what somebody has resumed is not paused again for the same upgrade"
	Lasts        = "a pause lasts as long as its upgrade may go on"
	Resumes      = "no pause outlives its upgrade"
	Settles      = "other controllers' machines are back, or their time is up, before their pause ends"
	PutBack      = "a pause that ends puts back what was found, and restarts the clocks"
	Noted        = "what is noted of upgrades is what goes on"
	Warned       = "people are warned of a long pause, and not more than once an hour"
)

// All are all rules.
var All = []string{
	OneRecord, Health, Look, Permission, Gate, Intent, Once, Slots, Bound, Repaired, Reason,
	Starved, End, Proven, Replaced, Undo, Clock, Memory, Decision, Writer,
	Grant, History, Rest, Recovery, Cache, Escalated, Paused, Recovered, Kept, Effect, Again, Deleted, Predicted,
	KeptOff, LetGo, ProvenOff, Restored, Plane, Rack, OneCycle, Consumed,
	Theirs, AtOnce, NeedsUpgrade, Overrides, Lasts, Resumes, Settles, PutBack, Noted, Warned,
}
