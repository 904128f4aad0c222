package explore

import (
	"slices"

	"github.com/sickbay-dev/sickbay/internal/remediation"
)

// Plants are all bugs that can be planted: at least one for each rule, and the five faults that were there before records were.
var Plants = slices.Concat(plantsOfLooks, plantsOfActs, plantsOfEnds, plantsOfOthers)

// plantsOfLooks break the rules about what is looked at before something is done: 1 to 3.
var plantsOfLooks = []*Plant{
	{
		Name: "names that differ", Seed: 77, World: plantWorld(OwnerReplaces, 2, Overlap, Caches), Rule: ruleOneRecord,
		About:  "the name of a record is another one each time, so it does not keep a second one from being made",
		change: recordsNamedAnew,
	},
	{
		Name: "old node", Seed: 61, World: plantWorld(OwnerReplaces, 2, Nodes, Caches), Rule: ruleHealth,
		About:  "a live read of a Node answers what the cache shows",
		change: func(_ *process, with parts) parts { with.nodes = cachedNodes{with.nodes}; return with },
	},
	{
		Name: "brake", Seed: 12, World: plantWorld(OwnerReplaces, 2, Pauses, Caches), Fault: 1, Rule: rulePermission,
		About:  "live reads of the MachineHealthCheck and the Cluster answer what the cache shows, so a pause comes too late",
		change: brakeFails,
	},
	{
		Name: "gate", Seed: 233, World: gateWorld(Nodes, Clock), Rule: ruleGate,
		About: "nobody looks at the gate again before an act",
		change: func(_ *process, with parts) parts {
			with.gate = func(g remediation.Gate) remediation.Gate { return openGate{g} }
			return with
		},
	},
	{
		Name: "counts of then", Seed: 351, World: gateWorld(Nodes, Clock), Fault: 4, Rule: ruleGate,
		About:  "machines are counted by their stored verdicts, not by how they are now",
		change: func(p *process, with parts) parts { with.nodes = storedNodes{with.nodes, p}; return with },
	},
}

// plantsOfActs break the rules about what is done: 4 and 5.
var plantsOfActs = []*Plant{
	{
		Name: "no intent", World: plantWorld(OwnerSilent, 1, Faults), Rule: ruleIntent,
		About:  "that an attempt begins is not stored",
		change: intentLost,
	},
	{
		Name: "asks again", World: rebootWorld(Faults), Rule: ruleOnce,
		About:  "a Machine does not remember which power cycle was asked for",
		change: func(_ *process, with parts) parts { return dropsOps(with, remedyOperation) },
	},
	{
		Name: "hasty hosts", Seed: 19400, World: rebootsInVain(Person), Rule: ruleOnce,
		About: "a RebootRemediation is carried out before its record has stored that it made it, so one that a person deletes is carried out twice",
		hasty: true,
	},
	{
		Name: "marks again", Seed: 10, World: plantWorld(OwnerSilent, 2, Person), Rule: ruleOnce,
		About:  "what a person has taken away is asked for again in the same attempt",
		change: forgetsActs,
	},
	{
		Name: "budget", Seed: 139, World: plantWorld(OwnerReplaces, 1, Faults, Overlap), Rule: ruleSlots,
		About: "slots are not counted once more before an act",
		change: func(_ *process, with parts) parts {
			with.gate = func(g remediation.Gate) remediation.Gate { return boundless{g} }
			return with
		},
	},
	{
		Name: "unbound", Seed: 155, World: plantWorld(OwnerNone, 1, Person), Rule: ruleBound,
		About:  "writes on Machines are not bound to their UID",
		change: unbound,
	},
	{
		Name: "bound too far", World: restlessWorld(), Fault: 2, Rule: ruleRepaired,
		About:  "writes on a Machine are bound to its version, so one that changes all the time is never repaired",
		change: boundTooFar,
	},
}
