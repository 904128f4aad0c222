package rules

// All are all rules.
var All []string

func rule(text string) string {
	All = append(All, text)
	return text
}

// The rules by which the monitor judges.
var (
	OneRecord  = rule("a machine has at most one open record, and at most one action at work")
	Health     = rule("only a live False acts, and only True proves")
	Look       = rule("everything that an act depends on is read live just before it, or tested by its write")
	Permission = rule("nothing is done that a live look forbids")
	Gate       = rule("nothing is done while the gate is closed")
	Intent     = rule("the intent is stored before the act, and the end before anything is withdrawn")
	Once       = rule("an attempt has at most one side effect")
	Slots      = rule("no more machines are under repair than there are slots")
	Bound      = rule("an act meets the very machine that was judged")
	Repaired   = rule("a machine that others write to all the time is repaired, too")
	Reason     = rule("what cannot go on names a reason")
	Part       = rule("while a health check is paused, what it selects is not called healthy")
	Starved    = rule("nobody waits because of another's fault")
	End        = rule("what ends leaves the machine healthy, gone, or to a person")
	Proven     = rule("a machine that relapses is not proven")
	Replaced   = rule("a replacement has succeeded when the machine is gone and, if the plan asks for it, its successor is proven")
	Undo       = rule("what has ended leaves nothing of ours on a living machine")
	Clock      = rule("a pause stops the clock of an attempt")
	Memory     = rule("a relapse continues after the last step that was tried")
	Decision   = rule("people come first")
	Writer     = rule("one writer for each field")
	Grant      = rule("grants and released grants only grow, one after the other")
	History    = rule("what is stored of an attempt that is over does not change")
	Rest       = rule("a world that is left alone settles")
	Recovery   = rule("once all faults end, all machines become healthy")
	Cache      = rule("nobody changes what a cache holds")
	Escalated  = rule("nothing goes past a step that nobody has begun")
	Paused     = rule("what nobody has begun is soon withdrawn under a pause")
	Recovered  = rule("a machine that has recovered is not deleted for its earlier sickness")
	Kept       = rule("no slot is kept for longer than an hour for what nobody begins")
	Effect     = rule("what people decide has its effect soon, under every pause")
	Again      = rule("only a repair that has begun is remembered")
	KeptOff    = rule("a host is kept off only by a power cycle whose beginning is stored, and only until the cycle lets go of it")
	LetGo      = rule("no host is left off by mistake")
	ProvenOff  = rule("a Node is out of service only while its host is proven off")
	Restored   = rule("a Node gets back what it had")
	Plane      = rule("of a control plane, no two hosts are off at once")
	Rack       = rule("a budget of one never cycles two hosts")
	OneCycle   = rule("a machine has at most one power cycle at work")
	Consumed   = rule("every annotation and every request is consumed once")
	Deleted    = rule("a machine that somebody owns is deleted only by a plan that says so, and if its owner makes another one")
	Predicted  = rule("what explain says happens next is what happens next")
)

// The rules about health checks while a cluster upgrades.
var (
	Theirs       = rule("a person's pause is never taken away")
	AtOnce       = rule("a health check is paused as soon as an upgrade begins")
	NeedsUpgrade = rule("a health check is paused only for an upgrade that goes on")
	Overrides    = rule("what somebody has resumed is not paused again for the same upgrade")
	Lasts        = rule("a pause lasts as long as its upgrade may go on")
	Resumes      = rule("no pause outlives its upgrade")
	Settles      = rule("other controllers' machines are back, or their time is up, before their pause ends")
	PutBack      = rule("a pause that ends puts back what was found, and restarts the clocks")
	Noted        = rule("what is noted of upgrades is what goes on")
	Warned       = rule("people are warned of a long pause, and not more than once an hour")
)
