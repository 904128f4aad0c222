package scenario

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// These times are minutes in production.
const (
	// probation is how long a machine must stay healthy under the plans.
	probation = 2 * time.Second
	// watchTime is how long a plan only watches a machine.
	watchTime = 2 * time.Second
	// rebootTime is the timeout of a power cycle, and comeBack that of the Node within it.
	rebootTime = 2 * time.Minute
	comeBack   = 6 * time.Second
	// shortReboot is the timeout of a power cycle where a story waits for longer than two of them.
	shortReboot = 20 * time.Second
	// slowStartup is the startup timeout where a later machine would fail the story. On a busy computer, a good machine takes 25 seconds.
	slowStartup = 30 * time.Second
	// replaceTime is the timeout of a replacement.
	replaceTime = 2 * time.Minute
)

// withPlans returns the scenarios with more than one step, or with a person's decision.
func withPlans() []Scenario {
	return []Scenario{
		planned(Scenario{
			Name: "bad-image", Title: "new machines never come up", Cluster: "violet", Workers: 3, story: badImage,
			Elsewhere: []world.Pool{{Name: "lone", Size: 1}},
			Health: checks(clusterv1.MachineHealthCheckChecks{
				NodeStartupTimeoutSeconds: seconds(slowStartup), UnhealthyNodeConditions: unhealthyNode(nodeTimeout).Checks.UnhealthyNodeConditions,
			}),
		}, pacedBy(v1alpha1.DomainOwner), replaceStep()),
		planned(Scenario{
			Name: "host-in-work", Title: "a person works on a host", Cluster: "steel", Workers: 2, story: hostInWork,
			BareMetal: true, Health: unhealthyNode(nodeTimeout),
		}, oneAtATime(), twice(step(rebootName, v1alpha1.ActionReboot, shortReboot)), replaceStep()),
		planned(Scenario{
			Name: "reboot-in-vain", Title: "a reboot does not help", Cluster: "steel", Workers: 1, story: rebootInVain,
			BareMetal: true, SpareHosts: 1, Health: unhealthyNode(nodeTimeout), Templates: []client.Object{impatient(impatientName)},
		}, rebootFrom(impatientName), replaceStep()),
		planned(Scenario{
			Name: "relapse", Title: "a reboot helps for a moment", Cluster: "steel", Workers: 1, story: relapse,
			BareMetal: true, SpareHosts: 1, Health: unhealthyNode(nodeTimeout),
		}, rebootStep(), replaceStep()),
		planned(Scenario{
			Name: "approval", Title: "a person must approve", Cluster: "violet", Workers: 1, story: approval, Health: unhealthyNode(nodeTimeout),
		}, requireApproval(replaceStep())),
		planned(Scenario{
			Name: "held", Title: "a person must decide", Cluster: "violet", Workers: 1, story: held, Health: unhealthyNode(nodeTimeout),
		}, waitStep(), holdStep(), replaceStep()),
	}
}

// part changes a plan.
type part func(*v1alpha1.RemediationPlan)

// planned gives a scenario a plan with the scenario's name.
func planned(s Scenario, parts ...part) Scenario {
	plan := &v1alpha1.MachineRemediationTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: Namespace, Name: s.Name}}
	spec := &plan.Spec.Template.Spec
	spec.ProbationSeconds = seconds(probation)
	for _, add := range parts {
		add(spec)
	}
	s.Templates = append([]client.Object{plan}, s.Templates...)
	s.Health = fromTemplate(s.Health, "MachineRemediationTemplate", plan.Name)
	return s
}

func step(name string, action v1alpha1.Action, timeout time.Duration) part {
	return func(plan *v1alpha1.RemediationPlan) {
		s := v1alpha1.RemediationStep{Name: name, Action: action}
		if timeout > 0 {
			s.TimeoutSeconds = seconds(timeout)
		}
		plan.Steps = append(plan.Steps, s)
	}
}

// The names of steps, which are the same in built-in plans.
const (
	watchName   = "watch"
	rebootName  = "reboot"
	askName     = "ask"
	replaceName = "replace"
)

func waitStep() part    { return step(watchName, v1alpha1.ActionWait, watchTime) }
func rebootStep() part  { return step(rebootName, v1alpha1.ActionReboot, rebootTime) }
func holdStep() part    { return step(askName, v1alpha1.ActionHold, 0) }
func replaceStep() part { return step(replaceName, v1alpha1.ActionReplace, replaceTime) }

// rebootFrom adds a power cycle from a template.
func rebootFrom(template string) part {
	return func(plan *v1alpha1.RemediationPlan) {
		rebootStep()(plan)
		plan.Steps[len(plan.Steps)-1].TemplateRef = &v1alpha1.StepTemplateReference{
			APIVersion: v1alpha1.GroupVersion.String(), Kind: "RebootRemediationTemplate", Name: template,
		}
	}
}

const impatientName = "impatient"

// impatient returns a template that gives a Node little time to come back, so that an attempt fails soon.
func impatient(name string) *v1alpha1.RebootRemediationTemplate {
	template := rebootTemplate(name)
	template.Spec.Template.Spec.NodeTimeoutSeconds = seconds(comeBack)
	return template
}

// requireApproval adds a step that needs a person's approval.
func requireApproval(add part) part {
	return func(plan *v1alpha1.RemediationPlan) {
		add(plan)
		plan.Steps[len(plan.Steps)-1].Approval = v1alpha1.ApprovalRequired
	}
}

// twice adds a step with two attempts.
func twice(add part) part {
	return func(plan *v1alpha1.RemediationPlan) {
		add(plan)
		plan.Steps[len(plan.Steps)-1].Attempts = 2
	}
}

// oneAtATime allows a single repair in flight.
func oneAtATime() part {
	return func(plan *v1alpha1.RemediationPlan) { plan.MaxInFlight = new(intstr.FromInt32(1)) }
}

func pacedBy(domains ...v1alpha1.PacingDomain) part {
	return func(plan *v1alpha1.RemediationPlan) { plan.Pacing = &v1alpha1.RemediationPacing{Domains: domains} }
}

func seconds(d time.Duration) *int32 { return new(int32(d.Seconds())) }
