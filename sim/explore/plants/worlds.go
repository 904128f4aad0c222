package plants

import (
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

// plantWorld returns a world that shows a planted bug soon, because nothing unrelated happens in it.
func plantWorld(owner worlds.Owner, slots int, actors ...worlds.Actor) *worlds.Spec {
	return &worlds.Spec{
		Name: "small", About: "for a planted bug", Machines: 2, Sick: 2, Owner: owner, Slots: slots, Actors: actors, Steps: 50,
		Settle: 2 * time.Hour, Watch: 10 * time.Minute, Recover: 36 * time.Hour,
	}
}

func rebootWorld(actors ...worlds.Actor) *worlds.Spec {
	s := plantWorld(worlds.OwnerReplaces, 1, actors...)
	s.Reboot, s.InVain = true, true
	return s
}

func requestWorld(actors ...worlds.Actor) *worlds.Spec {
	s := plantWorld(worlds.OwnerReplaces, 1, actors...)
	s.Request = true
	return s
}

// requestsInVain returns a world whose requests heal nothing, with 2 days for their attempts.
func requestsInVain(actors ...worlds.Actor) *worlds.Spec {
	s := requestWorld(actors...)
	s.InVain, s.Recover = true, 48*time.Hour
	return s
}

func gateWorld(actors ...worlds.Actor) *worlds.Spec {
	s := plantWorld(worlds.OwnerReplaces, 0, actors...)
	s.Machines, s.Sick, s.AtMost, s.Recover = 3, 1, new(intstr.FromInt32(1)), 0
	return s
}

func stubbornWorld() *worlds.Spec {
	s := plantWorld(worlds.OwnerReplaces, 1, worlds.Faults)
	s.Stubborn = 1
	return s
}

// restlessWorld returns a world with a machine that others change all the time.
func restlessWorld() *worlds.Spec {
	s := plantWorld(worlds.OwnerReplaces, 2, worlds.Faults)
	s.Restless = 1
	return s
}

// unfinished returns a world in which people never come to cooperate.
func unfinished(s *worlds.Spec) *worlds.Spec {
	s.Recover = 0
	return s
}

// soonOver shortens the end of a world that does not come to rest.
func soonOver(s *worlds.Spec) *worlds.Spec {
	s.Settle, s.Watch = 40*time.Minute, time.Minute
	return s
}

// planWorld returns a world with a plan and one sick machine.
func planWorld(plan *v1alpha1.RemediationPlan, actors ...worlds.Actor) *worlds.Spec {
	s := plantWorld(worlds.OwnerReplaces, 0, actors...)
	s.Sick, s.Plan = 1, plan
	return s
}

// onePower returns a plan that power-cycles once, and replaces if that does not help.
func onePower(probation int32) *v1alpha1.RemediationPlan {
	return &v1alpha1.RemediationPlan{ProbationSeconds: &probation, Steps: []v1alpha1.RemediationStep{
		worlds.PlanStep("reboot", v1alpha1.ActionReboot, 600), worlds.PlanStep("replace", v1alpha1.ActionReplace, 600),
	}}
}

// deletionWorld returns a world whose plan deletes the machines of a MachinePool.
func deletionWorld(actors ...worlds.Actor) *worlds.Spec {
	s := planWorld(worlds.DeletionPlan(), actors...)
	s.Owner = worlds.OwnerPool
	return s
}

// rebootsInVain returns a world with a plan whose power cycles heal nothing.
func rebootsInVain(actors ...worlds.Actor) *worlds.Spec {
	s := planWorld(onePower(300), actors...)
	s.InVain = true
	return s
}

func replaceOnApproval() *v1alpha1.RemediationPlan {
	return &v1alpha1.RemediationPlan{Steps: []v1alpha1.RemediationStep{worlds.PlanStep("replace", v1alpha1.ActionReplace, 600, worlds.Approved)}}
}
