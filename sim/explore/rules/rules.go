package rules

// The rules by which the monitor judges, with their numbers.
const (
	OneRecord  = "1: a machine has at most one open record, and one action at work"
	Health     = "2: only a live False acts, and only True proves"
	Look       = "3: whatever an act goes by is read live just before it"
	Permission = "3: nothing is done that a live look forbids"
	Gate       = "3: nothing is done while the gate is closed"
	Intent     = "4: the intent is stored before the act, and the end before anything is withdrawn"
	Once       = "4: an attempt has at most one side effect"
	Slots      = "4: no more machines are under repair than there are slots"
	Bound      = "5: an act meets the very machine that was judged"
	Repaired   = "5: a machine that others write to all the time is repaired all the same"
	Reason     = "6: what does not go on names a reason"
	Starved    = "6: nobody waits because of another's fault"
	End        = "7: what ends leaves the machine healthy, gone, or to a person"
	Proven     = "8: a machine that relapses is not proven"
	Replaced   = "9: a replacement has succeeded when the machine is gone, and its successor proven if the plan asks for it"
	Undo       = "10: what has ended leaves nothing of ours on a living machine"
	Clock      = "11: a pause stops the clock of an attempt"
	Memory     = "12: a relapse goes on after the last step that was tried"
	Decision   = "13: people come first"
	TakeOver   = "14: what an earlier version has left is taken over"
	Writer     = "one writer for each field"
	Grant      = "grants and released grants only grow, one after the other"
	History    = "what is stored of an attempt that is over stays as it is"
	Rest       = "a world that is left alone comes to rest"
	Recovery   = "once everybody means well, all machines become healthy"
	Cache      = "nobody changes what a cache holds"
	Predicted  = "what explain says happens next is what happens next"
)

// All are all rules.
var All = []string{
	OneRecord, Health, Look, Permission, Gate, Intent, Once, Slots, Bound, Repaired, Reason,
	Starved, End, Proven, Replaced, Undo, Clock, Memory, Decision, TakeOver, Writer,
	Grant, History, Rest, Recovery, Cache, Predicted,
}
