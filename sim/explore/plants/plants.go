package plants

import (
	"fmt"
	"slices"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/remediation"
	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/rules"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

// All are the bugs that can be planted. Each rule has at least one, except those that plants_test.go lists, and so has each fault of
// history.Plant.
var All = slices.Concat(plantsOfLooks, plantsOfActs, plantsOfEnds, plantsOfOthers, plantsOfAsking, plantsOfHosts, plantsOfIntake, plantsOfPauses, plantsOfSeveral, plantsOfSignals)

// plantsOfLooks break the rules about reads before an act: open records, health, permission, and the gate.
var plantsOfLooks = []*history.Plant{
	{
		Name: "names that differ", Seed: 77, World: plantWorld(worlds.OwnerReplaces, 2, worlds.Overlap, worlds.Caches), Rule: rules.OneRecord,
		About:  "the name of a record is another one each time, so it does not keep a second one from being made",
		Change: named[*v1alpha1.MachineRemediation],
	},
	{
		Name: "old node", Seed: 61, World: plantWorld(worlds.OwnerReplaces, 2, worlds.Nodes, worlds.Caches), Rule: rules.Health,
		About: "a live read of a Node answers what the cache shows",
		Change: func(_ *history.Process, with history.Parts) history.Parts {
			with.Nodes = cachedNodes{with.Nodes}
			return with
		},
	},
	{
		Name: "brake", Seed: 12, World: plantWorld(worlds.OwnerReplaces, 2, worlds.Pauses, worlds.Caches), Fault: 1, Rule: rules.Permission,
		About:  "live reads of the MachineHealthCheck and the Cluster answer what the cache shows, so a pause comes too late",
		Change: brakeFails,
	},
	{
		Name: "gate", Seed: 305, World: gateWorld(worlds.Nodes, worlds.Clock), Rule: rules.Gate,
		About: "nobody looks at the gate again before an act",
		Change: func(_ *history.Process, with history.Parts) history.Parts {
			with.Gate = func(g remediation.Gatekeeper) remediation.Gatekeeper { return openGate{g} }
			return with
		},
	},
	{
		Name: "counts of then", Seed: 399, World: gateWorld(worlds.Nodes, worlds.Clock), Fault: 4, Rule: rules.Gate,
		About: "machines are counted by their stored verdicts, not by how they are now",
		Change: func(p *history.Process, with history.Parts) history.Parts {
			with.Nodes = storedNodes{with.Nodes, p}
			return with
		},
	},
}

// plantsOfActs break the rules about acts: intents, side effects, slots, and the machine that a write meets.
var plantsOfActs = []*history.Plant{
	{
		Name: "no intent", World: plantWorld(worlds.OwnerSilent, 1, worlds.Faults), Rule: rules.Intent,
		About:  "that an attempt begins is not stored",
		Change: intentLost,
	},
	{
		Name: "asks again", World: rebootWorld(worlds.Faults), Rule: rules.Once,
		About:  "the name of a RebootRemediation is another one each time, so it does not keep a second one from being made",
		Change: named[*v1alpha1.RebootRemediation],
	},
	{
		Name: "hasty hosts", World: rebootsInVain(worlds.Person, worlds.Faults), Rule: rules.Intent,
		About:  "a RebootRemediation is carried out before its record has stored that it made it",
		Change: hastyHosts,
	},
	{
		Name: "marks again", Seed: 10, World: plantWorld(worlds.OwnerSilent, 2, worlds.Person), Rule: rules.Once,
		About:  "what a person has taken away is asked for again in the same attempt",
		Change: shows(forgetsActs),
	},
	{
		Name: "budget", Seed: 2400, World: plantWorld(worlds.OwnerReplaces, 1, worlds.Overlap, worlds.Caches), Rule: rules.Slots,
		About: "slots are not counted once more before an act",
		Change: func(_ *history.Process, with history.Parts) history.Parts {
			with.Gate = func(g remediation.Gatekeeper) remediation.Gatekeeper { return boundless{g} }
			return with
		},
	},
	{
		Name: "unbound", Seed: 257, World: plantWorld(worlds.OwnerNone, 1, worlds.Person), Rule: rules.Bound,
		About:  "writes on Machines are not bound to their UID",
		Change: unbound,
	},
	{
		Name: "blind to owners", World: deletionWorld(worlds.Owners), Rule: rules.Deleted,
		About:  "a live read of an owner does not show that it is paused, so a machine is deleted and none takes its place",
		Change: ownersGoOn,
	},
	{
		Name: "unversioned", World: plantWorld(worlds.OwnerReplaces, 2, worlds.Person, worlds.Caches), Rule: rules.Look,
		About: "a mark does not test the version of the Machine that the cache has shown",
		Change: func(_ *history.Process, with history.Parts) history.Parts {
			return withoutTest(with, "/metadata/resourceVersion")
		},
	},
	{
		Name: "bound too far", World: restlessWorld(), Fault: 2, Rule: rules.Repaired,
		About:  "writes on a Machine are bound to its version, so one that changes all the time is never repaired",
		Change: boundTooFar,
	},
}

// Named returns a plant; nil if the name is empty.
func Named(name string) (*history.Plant, error) {
	if name == "" {
		return nil, nil
	}
	for _, plant := range All {
		if plant.Name == name {
			return plant, nil
		}
	}
	return nil, fmt.Errorf("there is no planted bug %q", name)
}
