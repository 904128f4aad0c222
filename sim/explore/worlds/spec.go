package worlds

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// Spec describes a world: what is in it at the beginning, and what may happen in it.
type Spec struct {
	Name string
	// About says in one sentence what the world is for.
	About string
	// Machines is how many there are, the first Sick of which are sick.
	Machines, Sick int
	// Owner says how the controller of the machines answers.
	Owner Owner
	// Slots bounds how many are repaired at once; 0 is no bound.
	Slots int
	// AtMost is triggerIf: how many may be unhealthy at most. InRange is the other form of it.
	AtMost  *intstr.IntOrString
	InRange string
	// Reboot asks for power cycles by annotation, and Request for requests to another controller.
	Reboot, Request bool
	// Plan is a MachineRemediationTemplate; nil is a built-in plan.
	Plan *v1alpha1.RemediationPlan
	// BadImage makes all new machines sick.
	BadImage bool
	// InVain has power cycles and requests heal nothing, until everybody means well.
	InVain bool
	// Stubborn is the number of a machine whose writes always fail, and Restless of one that changes all the time; 0 is none.
	Stubborn, Restless int
	// LeftOver puts on the first machine what the version before has left there.
	LeftOver LeftOver
	// Actors take part in what happens.
	Actors []Actor
	// Slow is that its histories take long, so fewer of them are drawn.
	Slow bool
	// Steps is how many steps the faulty part of a run has.
	Steps int
	// Settle is how much virtual time may pass until all sick machines are under repair or have a reason.
	Settle time.Duration
	// Watch is for how long the world has to stay in good order then; 2 hours if it is 0.
	Watch time.Duration
	// Recover is how much may pass until all are healthy, once everybody means well; 0 if they need not be.
	Recover time.Duration
}

// Owner says how the controller of machines answers a mark.
type Owner string

// The ways of owners.
const (
	// OwnerNone: no controller owns the machines.
	OwnerNone Owner = ""
	// OwnerReplaces: it deletes a marked machine and makes another.
	OwnerReplaces Owner = "replaces"
	// OwnerDefers: it says first that it will.
	OwnerDefers Owner = "defers"
	// OwnerRefuses: it says that it cannot, until everybody means well.
	OwnerRefuses Owner = "refuses"
	// OwnerSilent: it never answers, as a MachinePool does not, until everybody means well.
	OwnerSilent Owner = "silent"
)

// LeftOver is what an earlier version of Sickbay has left on a machine.
type LeftOver string

// What may be left.
const (
	LeftNothing LeftOver = ""
	LeftMark    LeftOver = "mark"
	LeftReboot  LeftOver = "reboot"
	LeftRequest LeftOver = "request"
)

// Actor is somebody, or something, that acts in a world beside the controllers, its owners, hosts and providers.
type Actor string

// The actors.
const (
	// Nodes fall sick and recover, and cannot be read.
	Nodes Actor = "nodes"
	// Person pauses, holds, skips, deletes, decides and configures.
	Person Actor = "person"
	// Pauses are those of people, and nothing else that they do.
	Pauses Actor = "pauses"
	// Upgrade pauses as upgradepause does.
	Upgrade Actor = "upgrade"
	// Faults befall writes and processes.
	Faults Actor = "faults"
	// Caches lag behind.
	Caches Actor = "caches"
	// Overlap lets an old leader go on beside the new one.
	Overlap Actor = "overlap"
	// Clock steps, forward and a little backward.
	Clock Actor = "clock"
)

// Everybody is all actors.
var Everybody = []Actor{Nodes, Person, Upgrade, Faults, Caches, Overlap, Clock}

// Has reports whether an actor is part of the world.
func (s *Spec) Has(actor Actor) bool {
	return slices.Contains(s.Actors, actor)
}

// Unhindered reports whether every sick machine gets its turn: nobody meddles, no gate closes, and replacements help.
func (s *Spec) Unhindered() bool {
	return !s.Has(Person) && !s.Has(Pauses) && !s.Has(Upgrade) && s.AtMost == nil && s.InRange == "" && !s.BadImage
}

// Share divides a number of histories among worlds: this one gets so many of them.
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
