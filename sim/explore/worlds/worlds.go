package worlds

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// All are the worlds that are searched by random histories.
var All = []*Spec{
	{
		Name: "replace", About: "the built-in plan: an owner replaces what is marked",
		Machines: 3, Sick: 2, Owner: OwnerReplaces, Slots: 1,
		Actors: and(Owners, Skew), Steps: 80, Settle: 2 * time.Hour, Recover: 36 * time.Hour,
	},
	{
		Name: "unowned", About: "the built-in plan: machines that nobody owns are deleted, and made anew under their name",
		Machines: 2, Sick: 1, Slots: 1,
		Actors: Everybody, Steps: 80, Settle: 2 * time.Hour, Recover: 36 * time.Hour,
	},
	{
		Name: "owners", About: "an owner that refuses",
		Slow: true, Machines: 3, Sick: 2, Owner: OwnerRefuses, Slots: 2,
		Actors: Everybody, Steps: 80, Settle: 2 * time.Hour, Recover: 36 * time.Hour,
	},
	{
		Name: "pool", About: "an owner that never answers, as a MachinePool does not",
		Slow: true, Machines: 3, Sick: 2, Owner: OwnerSilent, Slots: 1,
		Actors: Everybody, Steps: 80, Settle: 2 * time.Hour, Recover: 36 * time.Hour,
	},
	{
		Name: "quiet pool", About: "an owner that never answers, and nobody who meddles",
		Slow: true, Machines: 3, Sick: 2, Owner: OwnerSilent, Slots: 1,
		Actors: []Actor{Faults, Caches, Overlap}, Steps: 60, Settle: 2 * time.Hour, Recover: 36 * time.Hour,
	},
	{
		Name: "machine pool", About: "a MachinePool, which never answers, and nobody who meddles",
		Slow: true, Machines: 3, Sick: 2, Owner: OwnerPool, Slots: 1,
		Actors: []Actor{Faults, Caches, Overlap}, Steps: 60, Settle: 2 * time.Hour, Recover: 36 * time.Hour,
	},
	{
		Name: "paused owner", About: "a MachineSet that is paused, and nobody who meddles",
		Slow: true, Machines: 3, Sick: 2, Owner: OwnerPaused, Slots: 1,
		Actors: []Actor{Faults, Caches, Overlap}, Steps: 60, Settle: 2 * time.Hour, Recover: 36 * time.Hour,
	},
	{
		Name: "old revision", About: "a MachineSet that leaves its machines to a rollout of the strategy OnDelete, and a plan that waits, replaces twice, and then holds",
		Machines: 3, Sick: 2, Owner: OwnerOld, Slots: 1, Plan: bounded(cloudPlan(), 1),
		Actors: []Actor{Faults, Caches, Overlap}, Steps: 60, Settle: 2 * time.Hour, Recover: 36 * time.Hour,
	},
	{
		Name: "defers", About: "an owner that replaces later",
		Machines: 3, Sick: 2, Owner: OwnerDefers, Slots: 1,
		Actors: and(Owners, Skew), Steps: 80, Settle: 2 * time.Hour, Recover: 36 * time.Hour,
	},
	{
		Name: "reboot", About: "the built-in plan for power cycles",
		Machines: 3, Sick: 2, Owner: OwnerReplaces, Slots: 1, Reboot: true,
		Actors: and(Hosts, Skew), Steps: 80, Settle: 2 * time.Hour, Recover: 36 * time.Hour,
	},
	{
		Name: "reboot in vain", About: "the built-in plan for power cycles, which heal nothing",
		Slow: true, Machines: 2, Sick: 2, Owner: OwnerReplaces, Slots: 1, Reboot: true, InVain: true,
		Actors: and(Hosts), Steps: 80, Settle: 2 * time.Hour, Recover: 36 * time.Hour,
	},
	{
		Name: "taints", About: "power cycles of machines that a Cluster Autoscaler looks after: their Nodes are tainted",
		Machines: 2, Sick: 1, Owner: OwnerReplaces, Slots: 1, Reboot: true, Autoscaled: true,
		Actors: and(Hosts), Steps: 80, Settle: 2 * time.Hour, Recover: 36 * time.Hour,
	},
	{
		Name: "control plane", About: "power cycles of the machines of a control plane, with slots for two",
		Slow: true, Machines: 3, Sick: 2, Owner: OwnerReplaces, Slots: 2, Reboot: true, ControlPlane: true,
		Actors: and(Hosts), Steps: 80, Settle: time.Hour, Watch: 30 * time.Minute, Recover: 36 * time.Hour,
	},
	{
		Name: "asked", About: "people and programs who ask for power cycles of machines, sick or not",
		Slow: true, Machines: 2, Sick: 1, Owner: OwnerReplaces, Slots: 1, Reboot: true,
		Actors: and(Hosts, Askers), Steps: 100, Settle: 2 * time.Hour, Recover: 36 * time.Hour,
	},
	{
		Name: "rollout", About: "a Cluster that rolls out versions, an owner that replaces later, and people who pause and resume",
		Machines: 2, Sick: 1, Owner: OwnerDefers, Slots: 1,
		Actors: and(Rollout, Pausers, Readings, Pauses, Skew), Steps: 80, Settle: 2 * time.Hour, Watch: time.Hour, Recover: 36 * time.Hour,
	},
	{
		Name: "openshift", About: "OpenShift and its pool upgrade, with machines of Sickbay's and of another controller's",
		Machines: 1, Sick: 1, Owner: OwnerReplaces, Slots: 1,
		Actors: []Actor{Upgrade, Pools, Pausers, Readings, Nodes, Faults, Caches, Overlap, Clock, Skew}, Steps: 80, Settle: 2 * time.Hour, Watch: 6 * time.Hour, Recover: 36 * time.Hour,
	},
	{
		Name: "request", About: "the built-in plan for requests to another controller",
		Machines: 3, Sick: 2, Owner: OwnerReplaces, Slots: 1, Request: true,
		Actors: and(Kinds), Steps: 80, Settle: 2 * time.Hour, Recover: 36 * time.Hour,
	},
	{
		Name: "gate", About: "a gate that closes when too many are sick",
		Machines: 3, Sick: 1, Owner: OwnerReplaces, AtMost: new(intstr.FromInt32(1)),
		Actors: Everybody, Steps: 80, Settle: 2 * time.Hour,
	},
	{
		Name: "stubborn", About: "a machine whose writes always fail",
		Slow: true, Machines: 3, Sick: 3, Owner: OwnerReplaces, Slots: 1, Stubborn: 1,
		Actors: []Actor{Faults, Caches, Overlap}, Steps: 60, Settle: time.Hour, Watch: 20 * time.Minute, Recover: 36 * time.Hour,
	},
	{
		Name: "restless", About: "a machine that others write to all the time",
		Machines: 3, Sick: 3, Owner: OwnerReplaces, Slots: 1, Restless: 1,
		Actors: []Actor{Faults, Caches, Overlap}, Steps: 60, Settle: 2 * time.Hour, Watch: time.Hour, Recover: 36 * time.Hour,
	},
	{
		Name: "two checks", About: "two health checks of the same machines, each of which a person pauses, holds and deletes",
		Machines: 3, Sick: 2, Owner: OwnerReplaces, Slots: 1,
		Actors: []Actor{Second, Nodes, Person, Owners, Faults, Caches, Overlap, Clock}, Steps: 80, Settle: 2 * time.Hour, Recover: 36 * time.Hour,
	},
	{
		Name: "detectors", About: "a machine whose detector restarts the clock of its condition at each look, and one whose detector is gone at times",
		Machines: 2, Owner: OwnerReplaces, Slots: 1,
		Actors: []Actor{Signals, Pauses, Faults, Caches, Overlap, Clock}, Steps: 60, Settle: 2 * time.Hour, Watch: time.Hour, Recover: 36 * time.Hour,
	},
	{
		Name: "bad image", About: "new machines are sick, too",
		Slow: true, Machines: 2, Sick: 1, Owner: OwnerReplaces, Slots: 1, BadImage: true,
		Actors: Everybody, Steps: 80, Settle: 10 * time.Minute, Watch: 10 * time.Minute, Recover: 36 * time.Hour,
	},
	{
		Name: "cloud plan", About: "a plan that waits, replaces twice, and then holds",
		Machines: 3, Sick: 2, Owner: OwnerReplaces, Slots: 1, Plan: bounded(cloudPlan(), 1),
		Actors: and(Owners, Skew), Steps: 80, Settle: 2 * time.Hour, Recover: 36 * time.Hour,
	},
	{
		Name: "deletion", About: "a plan that deletes the machines of a MachinePool, which makes others and is paused at times",
		Machines: 3, Sick: 2, Owner: OwnerPool, Slots: 1, Plan: bounded(DeletionPlan(), 1),
		Actors: and(Owners, Skew), Steps: 80, Settle: 2 * time.Hour, Recover: 36 * time.Hour,
	},
	{
		Name: "bad cloud", About: "the same plan, and new machines that are sick, too",
		Machines: 2, Sick: 1, Owner: OwnerReplaces, Slots: 1, Plan: bounded(cloudPlan(), 1), BadImage: true,
		Actors: and(Owners), Steps: 80, Settle: 2 * time.Hour, Recover: 36 * time.Hour,
	},
	{
		Name: "metal plan", About: "a plan that reboots twice, keeps evidence, asks another controller, and replaces if a person agrees",
		Machines: 3, Sick: 2, Owner: OwnerReplaces, Slots: 1, Plan: bounded(metalPlan(), 1),
		Actors: and(Hosts, Kinds, Skew), Steps: 80, Settle: 2 * time.Hour, Recover: 36 * time.Hour,
	},
	{
		Name: "bad metal", About: "the same plan, in vain: power cycles and requests heal nothing",
		Slow: true, Machines: 2, Sick: 2, Owner: OwnerReplaces, Slots: 1, Plan: bounded(metalPlan(), 1), InVain: true,
		Actors: and(Hosts, Owners, Kinds), Steps: 100, Settle: 2 * time.Hour, Recover: 36 * time.Hour,
	},
}

// Small are the worlds that are searched exhaustively.
var Small = []*Spec{
	{
		Name: "small replace", About: "two sick machines, one slot, an owner, and all that can go wrong with writes, processes and caches",
		Machines: 2, Sick: 2, Owner: OwnerReplaces, Slots: 1,
		Actors: []Actor{Faults, Caches, Overlap}, Steps: 30, Settle: time.Hour, Watch: 30 * time.Minute, Recover: 36 * time.Hour,
	},
	{
		Name: "small person", About: "two sick machines, one slot, an owner, a person, and Nodes that recover",
		Machines: 2, Sick: 2, Owner: OwnerReplaces, Slots: 1,
		Actors: []Actor{Person, Nodes}, Steps: 30, Settle: time.Hour, Watch: 30 * time.Minute, Recover: 36 * time.Hour,
	},
	{
		Name: "small reboot", About: "two sick machines, one slot, their hosts, and all that can go wrong with writes, processes and caches",
		Machines: 2, Sick: 2, Owner: OwnerReplaces, Slots: 1, Reboot: true,
		Actors: []Actor{Faults, Caches, Overlap}, Steps: 30, Settle: time.Hour, Watch: 30 * time.Minute, Recover: 36 * time.Hour,
	},
	{
		Name: "small request", About: "two sick machines, one slot, and another controller that repairs them",
		Machines: 2, Sick: 2, Owner: OwnerReplaces, Slots: 1, Request: true,
		Actors: []Actor{Faults, Caches, Overlap}, Steps: 30, Settle: time.Hour, Watch: 30 * time.Minute, Recover: 36 * time.Hour,
	},
	{
		Name: "small upgrade", About: "two sick machines, an owner, an upgrade, and clocks that step",
		Machines: 2, Sick: 2, Owner: OwnerReplaces, Slots: 2,
		Actors: []Actor{Upgrade, Nodes, Clock}, Steps: 30, Settle: time.Hour, Watch: 30 * time.Minute, Recover: 36 * time.Hour,
	},
	{
		Name: "small rollout", About: "a sick machine, an owner that replaces later, a Cluster that rolls out versions, and Nodes that recover",
		Machines: 1, Sick: 1, Owner: OwnerDefers, Slots: 1,
		Actors: []Actor{Rollout, Nodes}, Steps: 30, Settle: time.Hour, Watch: 30 * time.Minute, Recover: 36 * time.Hour,
	},
	{
		Name: "small hosts", About: "two sick machines, one slot, a plan that reboots and then replaces, and a person who keeps hosts off",
		Machines: 2, Sick: 2, Owner: OwnerReplaces, Slots: 1, Plan: bounded(hostsPlan(), 1),
		Actors: []Actor{Hosts, Pauses, Nodes, Skew}, Steps: 30, Settle: 2 * time.Hour, Watch: 30 * time.Minute, Recover: 36 * time.Hour,
	},
	{
		Name: "small owners", About: "two sick machines, one slot, a plan that replaces, and an owner that defers, is busy, refuses, is paused, or decides late",
		Machines: 2, Sick: 2, Owner: OwnerDefers, Slots: 1, Plan: bounded(cloudPlan(), 1),
		Actors: []Actor{Owners, Pauses, Nodes, Skew}, Steps: 30, Settle: 2 * time.Hour, Watch: 30 * time.Minute, Recover: 36 * time.Hour,
	},
	{
		Name: "small deletion", About: "two sick machines of a MachinePool, one slot, a plan that deletes them, and all that can go wrong with writes, processes and caches",
		Machines: 2, Sick: 2, Owner: OwnerPool, Slots: 1, Plan: bounded(DeletionPlan(), 1),
		Actors: []Actor{Faults, Caches, Overlap}, Steps: 30, Settle: 2 * time.Hour, Watch: 30 * time.Minute, Recover: 36 * time.Hour,
	},
	{
		Name: "small two checks", About: "two sick machines, one slot, an owner, and two health checks that people pause and hold",
		Machines: 2, Sick: 2, Owner: OwnerReplaces, Slots: 1,
		Actors: []Actor{Second, Pauses, Caches}, Steps: 30, Settle: time.Hour, Watch: 30 * time.Minute, Recover: 36 * time.Hour,
	},
	{
		Name: "small unread", About: "two sick machines, one slot, another controller that repairs them, and requests that cannot be read at times",
		Machines: 2, Sick: 2, Owner: OwnerReplaces, Slots: 1, Request: true, InVain: true,
		Actors: []Actor{Kinds, Pauses, Nodes}, Steps: 30, Settle: 2 * time.Hour, Watch: 30 * time.Minute, Recover: 48 * time.Hour,
	},
	{
		Name: "small everybody", About: "three machines, two of them sick, two slots, their hosts, and everybody who takes part",
		Machines: 3, Sick: 2, Owner: OwnerReplaces, Slots: 2, Reboot: true,
		Actors: Everybody, Steps: 20, Settle: time.Hour, Watch: 30 * time.Minute, Recover: 36 * time.Hour,
	},
}

// Named returns a world, or nil.
func Named(name string) *Spec {
	for _, spec := range append(slices.Clone(All), Small...) {
		if spec.Name == name {
			return spec
		}
	}
	return nil
}

// Chosen returns the worlds of that name; all if the name is empty.
func Chosen(from []*Spec, name string) []*Spec {
	return slices.DeleteFunc(slices.Clone(from), func(spec *Spec) bool {
		return name != "" && spec.Name != name
	})
}
