package explore

// The rules that the monitor judges by, and the number that design 5.3 gives them.
const (
	ruleOneRecord  = "1: a machine has at most one open record, and one action at work"
	ruleHealth     = "2: only a live False acts, and only True proves"
	ruleLook       = "3: whatever an act goes by is read live just before it"
	rulePermission = "3: nothing is done that a live look forbids"
	ruleGate       = "3: nothing is done while the gate is closed"
	ruleIntent     = "4: the intent is stored before the act, and the end before anything is withdrawn"
	ruleOnce       = "4: an attempt has at most one side effect"
	ruleSlots      = "4: no more machines are under repair than there are slots"
	ruleBound      = "5: an act meets the very machine that was judged"
	ruleRepaired   = "5: a machine that others write to all the time is repaired all the same"
	ruleReason     = "6: what does not go on names a reason"
	ruleStarved    = "6: nobody waits because of another's fault"
	ruleEnd        = "7: what ends leaves the machine healthy, gone, or to a person"
	ruleProven     = "8: a machine that relapses is not proven"
	ruleReplaced   = "9: a replacement has succeeded when the machine is gone, and its successor proven if the plan asks for it"
	ruleUndo       = "10: what has ended leaves nothing of ours on a living machine"
	ruleClock      = "11: a pause stops the clock of an attempt"
	ruleMemory     = "12: a relapse goes on after the last step that was tried"
	ruleDecision   = "13: people come first"
	ruleTakeOver   = "14: what an earlier version has left is taken over"
	ruleWriter     = "one writer for each field"
	ruleGrant      = "grants and released grants only grow, one after the other"
	ruleHistory    = "what is stored of an attempt that is over stays as it is"
	ruleRest       = "a world that is left alone comes to rest"
	ruleRecovery   = "once everybody means well, all machines become healthy"
	ruleCache      = "nobody changes what a cache holds"
	ruleForetold   = "what explain says happens next is what happens next"
)

// Rules are all of them.
var Rules = []string{
	ruleOneRecord, ruleHealth, ruleLook, rulePermission, ruleGate, ruleIntent, ruleOnce, ruleSlots, ruleBound, ruleRepaired, ruleReason,
	ruleStarved, ruleEnd, ruleProven, ruleReplaced, ruleUndo, ruleClock, ruleMemory, ruleDecision, ruleTakeOver, ruleWriter,
	ruleGrant, ruleHistory, ruleRest, ruleRecovery, ruleCache, ruleForetold,
}
