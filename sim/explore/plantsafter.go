package explore

import (
	"slices"
	"time"

	"github.com/sickbay-dev/sickbay/internal/explain"
)

// plantsOfEnds break the rules about how it goes on, and ends: 6 to 9.
var plantsOfEnds = []*Plant{
	{
		Name: "kept slot", World: soonOver(plantWorld(OwnerSilent, 1, Faults)), Fault: 5, Rule: ruleStarved,
		About:  "a mark that no owner answers keeps its slot for ever",
		change: func(_ *process, with parts) parts { return storing(with, keepsSlot) },
	},
	{
		Name: "no step back", World: unfinished(soonOver(stubbornWorld())), Fault: 2, Rule: ruleStarved,
		About:  "an act that fails again and again keeps the slot of its machine",
		change: func(_ *process, with parts) parts { return storing(with, keepsSlot) },
	},
	{
		Name: "no reason", World: gateWorld(Nodes), Fault: 5, Rule: ruleReason,
		About:  "a MachineHealthCheck does not say why nothing is done",
		change: func(_ *process, with parts) parts { return saysNothing(with) },
	},
	{
		Name: "done is done", World: rebootWorld(Faults), Rule: ruleEnd,
		About:  "a record whose steps are used up ends, although the machine is sick",
		change: func(p *process, with parts) parts { return storing(with, endsHeld(p.w.clock)) },
	},
	{
		Name: "no probation", World: planWorld(onePower(300), Faults), Rule: ruleProven,
		About:  "a machine counts as repaired as soon as it is healthy, whatever the plan says",
		change: func(p *process, with parts) parts { return storing(with, noProbation(p.w.clock)) },
	},
	{
		Name: "blind to deletion", World: plantWorld(OwnerReplaces, 1, Faults), Rule: ruleReplaced,
		About:  "a Machine that is being deleted counts as gone",
		change: blindToDeletion,
	},
}

// plantsOfOthers break the rules about people, pauses, and what was before: 10 to 14.
var plantsOfOthers = []*Plant{
	{
		Name: "request forgotten", Seed: 24, World: requestWorld(Person), Fault: 3, Rule: ruleUndo,
		About:  "a request is forgotten when the templateRef changes",
		change: requestForgotten,
	},
	{
		Name: "clock runs", World: requestsInVain(Pauses, Clock), Rule: ruleClock,
		About:  "the clock of an attempt runs on while everything is paused",
		change: func(_ *process, with parts) parts { return storing(with, clockRuns) },
	},
	{
		Name: "no memory", World: planWorld(onePower(0), Nodes), Rule: ruleMemory,
		About:  "a relapse begins at the first step again",
		change: noMemory,
	},
	{
		Name: "deaf", Seed: 354, World: plantWorld(OwnerReplaces, 1, Person), Rule: ruleDecision,
		About:  "what a person has decided is not read",
		change: deaf,
	},
	{
		Name: "approves itself", World: planWorld(replaceOnApproval(), Faults), Rule: ruleDecision,
		About:  "an attempt that waits for a person seems to be approved",
		change: approvesItself,
	},
	{
		Name: "left behind", World: leftWorld(Nodes), Rule: ruleTakeOver,
		About:  "nobody finds out who has set a mark, so that of the version before is left where it is",
		change: anonymous,
	},
	{
		Name: "bad prophet", World: rebootWorld(Faults), Rule: ruleForetold,
		About:     "what happens next is said to happen two minutes later",
		foretells: late,
	},
}

// late puts off what is said to happen.
func late(next []explain.Upcoming) []explain.Upcoming {
	later := slices.Clone(next)
	for i := range later {
		later[i].At = later[i].At.Add(2 * time.Minute)
	}
	return later
}
