package plants

import (
	"slices"
	"time"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/rules"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

// plantsOfEnds break the rules about how repairs continue and end: waits and their reasons, ends, relapses, and replacements.
var plantsOfEnds = []*history.Plant{
	{
		Name: "kept slot", World: soonOver(plantWorld(worlds.OwnerSilent, 1, worlds.Faults)), Fault: 5, Rule: rules.Starved,
		About:  "a mark that no owner answers keeps its slot for ever",
		Change: storing(keepsSlot),
	},
	{
		Name: "no step back", World: unfinished(soonOver(stubbornWorld())), Fault: 2, Rule: rules.Starved,
		About:  "an act that fails again and again keeps the slot of its machine",
		Change: storing(keepsSlot),
	},
	{
		Name: "no reason", World: gateWorld(worlds.Nodes), Fault: 5, Rule: rules.Reason,
		About:  "a MachineHealthCheck does not say why nothing is done",
		Change: saysNothing,
	},
	{
		Name: "done is done", World: rebootWorld(worlds.Faults), Rule: rules.End,
		About:  "a record whose steps are used up ends, although the machine is sick",
		Change: storing(endsHeld),
	},
	{
		Name: "no probation", World: planWorld(onePower(300), worlds.Faults), Rule: rules.Proven,
		About:  "a machine counts as repaired as soon as it is healthy, whatever the plan says",
		Change: storing(noProbation),
	},
	{
		Name: "blind to deletion", World: plantWorld(worlds.OwnerReplaces, 1, worlds.Faults), Rule: rules.Replaced,
		About:  "a Machine that is being deleted counts as gone",
		Change: blindToDeletion,
	},
	{
		Name: "ends again", World: rebootsInVain(worlds.Faults), Rule: rules.History,
		About:  "an attempt that is over seems to end with each write of its record",
		Change: storing(endsAgain),
	},
}

// plantsOfOthers break the rules about people, pauses, and predictions.
var plantsOfOthers = []*history.Plant{
	{
		Name: "request forgotten", Seed: 64, World: requestWorld(worlds.Person), Fault: 3, Rule: rules.Undo,
		About:  "a request is forgotten when the templateRef changes",
		Change: requestForgotten,
	},
	{
		Name: "clock runs", World: requestsInVain(worlds.Pauses, worlds.Clock), Rule: rules.Clock,
		About:  "the clock of an attempt runs on while everything is paused",
		Change: storing(clockRuns),
	},
	{
		Name: "no memory", World: planWorld(onePower(0), worlds.Nodes), Rule: rules.Memory,
		About:  "a relapse begins at the first step again",
		Change: noMemory,
	},
	{
		Name: "deaf", Seed: 477, World: plantWorld(worlds.OwnerReplaces, 1, worlds.Person), Rule: rules.Decision,
		About:  "what a person has decided is not read",
		Change: shows(deaf),
	},
	{
		Name: "approves itself", World: planWorld(replaceOnApproval(), worlds.Faults), Rule: rules.Decision,
		About:  "an attempt that waits for a person seems to be approved",
		Change: shows(approvesItself),
	},
	{
		Name: "bad prophet", World: replaceTwice(worlds.OwnerSilent, worlds.Faults), Rule: rules.Predicted,
		About:    "what happens next is said to happen two minutes later",
		Predicts: late,
	},
}

// late postpones predictions.
func late(next []explain.Upcoming) []explain.Upcoming {
	later := slices.Clone(next)
	for i := range later {
		later[i].At = later[i].At.Add(2 * time.Minute)
	}
	return later
}
