package worlds

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// Spec describes a world: what exists at the beginning, and what may happen.
type Spec struct {
	Name string
	// About says in one sentence what the world is for.
	About string
	// Machines is the number of machines; the first Sick of them are sick.
	Machines, Sick int
	// Owner says how the controller of the machines answers.
	Owner Owner
	// Slots is how many machines may be repaired at once; 0 means no limit.
	Slots int
	// AtMost and InRange are the two forms of triggerIf. AtMost is how many machines may be unhealthy.
	AtMost  *intstr.IntOrString
	InRange string
	// Reboot asks for power cycles by annotation, and Request for requests to another controller.
	Reboot, Request bool
	// Plan is the plan in a MachineRemediationTemplate; nil is a built-in plan.
	Plan *v1alpha1.RemediationPlan
	// BadImage makes all new machines sick.
	BadImage bool
	// Autoscaled has a Cluster Autoscaler look after the owner, and ControlPlane makes the machines those of a control plane.
	Autoscaled, ControlPlane bool
	// InVain makes power cycles and requests heal nothing until everybody cooperates.
	InVain bool
	// Stubborn is the number of a machine whose writes always fail, and Restless that of one that changes all the time; 0
	// means none.
	Stubborn, Restless int
	// Actors take part in what happens.
	Actors []Actor
	// Slow is set if its histories take long, so that fewer of them are drawn.
	Slow bool
	// Steps is the length of the faulty part of a run.
	Steps int
	// Settle is how much virtual time may pass until all sick machines are under repair or have a stated reason.
	Settle time.Duration
	// Watch is how long the world must then stay in good order; 0 means 2 hours.
	Watch time.Duration
	// Recover is how much time may pass until all machines are healthy once everybody cooperates; 0 if they need not
	// recover.
	Recover time.Duration
}

// Owner says how the controller of machines answers a mark.
type Owner string

// The kinds of owners.
const (
	// OwnerNone: no controller owns the machines.
	OwnerNone Owner = ""
	// OwnerReplaces: it deletes a marked machine and creates another.
	OwnerReplaces Owner = "replaces"
	// OwnerDefers: it first says that it will.
	OwnerDefers Owner = "defers"
	// OwnerRefuses: it says that it cannot, until everybody cooperates.
	OwnerRefuses Owner = "refuses"
	// OwnerSilent: it never answers, as a MachinePool does not, until everybody cooperates.
	OwnerSilent Owner = "silent"
	// OwnerPool is a MachinePool: it never answers. Everybody can see why.
	OwnerPool Owner = "MachinePool"
	// OwnerPaused is paused by an annotation, so it does not answer, and everybody can see why.
	OwnerPaused Owner = "paused"
	// OwnerOld is of an older revision than its MachineDeployment, which has the strategy OnDelete: it refuses, and everybody can see why.
	OwnerOld Owner = "old"
)

// Acts returns how an owner acts, whatever can be seen of it.
func (o Owner) Acts() Owner {
	switch o {
	case OwnerPool, OwnerPaused:
		return OwnerSilent
	case OwnerOld:
		return OwnerRefuses
	default:
		return o
	}
}

// Actor is somebody or something that acts in a world besides the controllers, owners, hosts and providers.
type Actor string

// The actors.
const (
	// Nodes makes Nodes sick and healthy, and at times unreadable.
	Nodes Actor = "nodes"
	// Person is a person who pauses, holds, skips, deletes, decides and configures.
	Person Actor = "person"
	// Pauses is a person who only pauses.
	Pauses Actor = "pauses"
	// Upgrade is OpenShift, which upgrades, halts and goes on.
	Upgrade Actor = "upgrade"
	// Pools is OpenShift's pool of workers, with machines that another controller looks after.
	Pools Actor = "pools"
	// Rollout is a Cluster that rolls out versions.
	Rollout Actor = "rollout"
	// Pausers are people and programs who pause and resume health checks, whatever upgrades.
	Pausers Actor = "pausers"
	// Readings takes away the right to read what upgrades, and gives it back.
	Readings Actor = "readings"
	// Faults makes writes and processes fail.
	Faults Actor = "faults"
	// Caches makes caches lag behind.
	Caches Actor = "caches"
	// Overlap keeps an old leader running beside the new one.
	Overlap Actor = "overlap"
	// Clock makes the clock step, forward and a little backward.
	Clock Actor = "clock"
	// Skew makes the clock of a leader go minutes ahead of everybody else's.
	Skew Actor = "skew"
	// Hosts is a person who keeps hosts off, and gives them back.
	Hosts Actor = "hosts"
	// Askers ask for power cycles: by command, by annotation, and by RebootRemediations, as people and other health checks do.
	Askers Actor = "askers"
	// Owners makes owners answer and do nothing, decide late, and be paused.
	Owners Actor = "owners"
	// Kinds takes away the right to read requests, and gives it back.
	Kinds Actor = "kinds"
	// Second is a person with a second, younger health check of the same machines, who pauses, holds and deletes it.
	Second Actor = "second"
	// Signals are detectors on Nodes, one that restarts its clock and one that is gone at times.
	Signals Actor = "signals"
)

// Everybody is all actors that take part in every large world.
var Everybody = []Actor{Nodes, Person, Upgrade, Faults, Caches, Overlap, Clock}

// and adds actors to Everybody.
func and(more ...Actor) []Actor { return append(slices.Clone(Everybody), more...) }

// Has reports whether an actor is part of the world.
func (s *Spec) Has(actor Actor) bool {
	return slices.Contains(s.Actors, actor)
}

// Metal reports whether the machines run on bare-metal hosts.
func (s *Spec) Metal() bool {
	return s.Reboot || s.Has(Hosts) || s.Has(Askers) || (s.Plan != nil && slices.ContainsFunc(s.Plan.Steps, func(step v1alpha1.RemediationStep) bool { return step.Action == v1alpha1.ActionReboot }))
}

// Upgrades reports whether something can upgrade.
func (s *Spec) Upgrades() bool { return s.Has(Upgrade) || s.Has(Rollout) || s.Has(Pools) }

// Unhindered reports whether every sick machine gets its turn: nobody interferes, no gate closes, and replacements help.
func (s *Spec) Unhindered() bool {
	return !s.Has(Person) && !s.Has(Pauses) && !s.Has(Second) && !s.Upgrades() && !s.Has(Hosts) && !s.Has(Owners) && s.AtMost == nil && s.InRange == "" && !s.BadImage
}

// Share returns this world's share of a number of histories.
func (s *Spec) Share(among []*Spec, histories int) int {
	shares := 0
	for _, one := range among {
		shares += one.shares()
	}
	return max(1, histories*s.shares()/shares)
}

func (s *Spec) shares() int {
	if s.Slow {
		return 1
	}
	return 3
}
