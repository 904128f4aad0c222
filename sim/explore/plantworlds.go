package explore

import (
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// plantWorld is a world that shows a planted bug soon: nothing happens in it but what can bring it to light.
func plantWorld(owner Owner, slots int, actors ...Actor) *Spec {
	return &Spec{
		Name: "small", About: "for a planted bug", Machines: 2, Sick: 2, Owner: owner, Slots: slots, Actors: actors, Steps: 50,
		Settle: 2 * time.Hour, Watch: 10 * time.Minute, Recover: 36 * time.Hour,
	}
}

func rebootWorld(actors ...Actor) *Spec {
	s := plantWorld(OwnerReplaces, 1, actors...)
	s.Reboot, s.InVain = true, true
	return s
}

func requestWorld(actors ...Actor) *Spec {
	s := plantWorld(OwnerReplaces, 1, actors...)
	s.Request = true
	return s
}

// requestsInVain has requests that heal nothing, and 2 days for their attempts.
func requestsInVain(actors ...Actor) *Spec {
	s := requestWorld(actors...)
	s.InVain, s.Recover = true, 48*time.Hour
	return s
}

func gateWorld(actors ...Actor) *Spec {
	s := plantWorld(OwnerReplaces, 0, actors...)
	s.Machines, s.Sick, s.AtMost, s.Recover = 3, 1, new(intstr.FromInt32(1)), 0
	return s
}

func stubbornWorld() *Spec {
	s := plantWorld(OwnerReplaces, 1, Faults)
	s.Stubborn = 1
	return s
}

func leftWorld(actors ...Actor) *Spec {
	s := plantWorld(OwnerRefuses, 0, actors...)
	s.LeftOver = LeftMark
	return s
}

// restlessWorld has a machine that others write to all the time.
func restlessWorld() *Spec {
	s := plantWorld(OwnerReplaces, 2, Faults)
	s.Restless = 1
	return s
}

// unfinished has nobody mean well in the end.
func unfinished(s *Spec) *Spec {
	s.Recover = 0
	return s
}

// soonOver shortens the end of a world that does not come to rest.
func soonOver(s *Spec) *Spec {
	s.Settle, s.Watch = 40*time.Minute, time.Minute
	return s
}

// planWorld has a plan, and one machine that is sick.
func planWorld(plan *v1alpha1.RemediationPlan, actors ...Actor) *Spec {
	s := plantWorld(OwnerReplaces, 0, actors...)
	s.Sick, s.Plan = 1, plan
	return s
}

// onePower power-cycles once, and replaces if that does not help.
func onePower(probation int32) *v1alpha1.RemediationPlan {
	return &v1alpha1.RemediationPlan{ProbationSeconds: &probation, Steps: []v1alpha1.RemediationStep{
		planStep("reboot", v1alpha1.ActionReboot, 600), planStep("replace", v1alpha1.ActionReplace, 600),
	}}
}

// rebootsInVain has a plan whose power cycles heal nothing.
func rebootsInVain(actors ...Actor) *Spec {
	s := planWorld(onePower(300), actors...)
	s.InVain = true
	return s
}

func replaceOnApproval() *v1alpha1.RemediationPlan {
	return &v1alpha1.RemediationPlan{Steps: []v1alpha1.RemediationStep{planStep("replace", v1alpha1.ActionReplace, 600, approved)}}
}
