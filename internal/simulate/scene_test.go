package simulate

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/explain/explaintest"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// These are the same as in the tests of explain.
var (
	noon  = explaintest.Noon
	step  = explaintest.Step
	metal = explaintest.Metal
)

// fleet is a scene in which the Nodes determine the verdicts.
type fleet struct {
	*explaintest.Scene

	set    *clusterv1.MachineSet
	policy mhcspec.Adoption
	// new reports that the health check is not in the fleet yet.
	new bool
}

func newFleet() *fleet {
	f := &fleet{Scene: explaintest.New(), set: build.MachineSet("default", "md-0", build.UID("md-0"))}
	f.Check.UID = "workers"
	return f
}

func (f *fleet) annotated(key, value string) *fleet {
	f.Annotated(key, value)
	return f
}

func (f *fleet) atMost(limit string) *fleet {
	f.AtMost(limit)
	return f
}

// machine adds a machine whose Node has been Ready or not for so long.
func (f *fleet) machine(name string, ready corev1.ConditionStatus, since time.Duration, opts ...build.MachineOption) *clusterv1.Machine {
	f.Node(name, ready, since)
	opts = append(opts, build.UID(types.UID("uid-"+name)), build.OwnedBy(f.set), build.CreatedAt(noon.Add(-24*time.Hour)))
	m := f.Machine(name, metav1.ConditionUnknown, "", "", since-5*time.Minute, opts...)
	m.Status.Phase = string(clusterv1.MachinePhaseRunning)
	result := verdict.Decide(f.health(m), noon)
	verdict := &m.Status.Conditions[len(m.Status.Conditions)-1]
	verdict.Status, verdict.Reason, verdict.Message = metav1.ConditionStatus(result.Status), result.Reason, result.Message
	return m
}

// health returns the facts for the verdict on a machine.
func (f *fleet) health(m *clusterv1.Machine) verdict.Facts {
	return verdict.Facts{
		Machine: m, Cluster: f.Cluster, Rules: mhcspec.RulesOf(f.Check), GracePeriod: 5 * time.Minute,
		Node: verdict.NodeFacts{State: verdict.NodeFound, Node: f.Nodes[m.Name]},
	}
}

func (f *fleet) healthy(n int, opts ...build.MachineOption) *fleet {
	for i := range n {
		f.machine(fmt.Sprintf("h%d", i+1), corev1.ConditionTrue, 10*time.Hour, opts...)
	}
	return f
}

func (f *fleet) sick(n int, opts ...build.MachineOption) *fleet {
	for i := range n {
		f.machine(fmt.Sprintf("s%d", i+1), corev1.ConditionUnknown, time.Hour-time.Duration(i)*time.Minute, opts...)
	}
	return f
}

// planned gives the health check a plan.
func (f *fleet) planned(change func(*v1alpha1.RemediationPlan), steps ...v1alpha1.RemediationStep) *fleet {
	f.Plan = &v1alpha1.MachineRemediationTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "metal", UID: "metal", Generation: 1}}
	f.Plan.Spec.Template.Spec.Steps = steps
	if change != nil {
		change(&f.Plan.Spec.Template.Spec)
	}
	f.Check.Spec.Remediation.TemplateRef = clusterv1.MachineHealthCheckRemediationTemplateReference{
		APIVersion: v1alpha1.GroupVersion.String(), Kind: "MachineRemediationTemplate", Name: "metal",
	}
	return f
}

// rebooting adds a sick machine whose host a record is power-cycling by the fleet's plan.
func (f *fleet) rebooting(name string, since time.Duration) *fleet {
	r := f.Record(f.machine(name, corev1.ConditionUnknown, since+5*time.Minute), f.Plan.Spec.Template.Spec.Steps...)
	r.Spec.TemplateRef, r.Spec.ProbationSeconds = &v1alpha1.PlanReference{Name: f.Plan.Name, UID: f.Plan.UID, Generation: f.Plan.Generation}, nil
	f.Play(r, noon.Add(-since), noon)
	return f
}

// facts returns the facts as the fleet's observer finds them.
func (f *fleet) facts() *explain.Facts {
	all := f.Facts()
	if !f.new {
		return all
	}
	all.Checks = nil
	for _, m := range all.Machines {
		m.Health, m.Check = nil, nil
	}
	return all
}

// play plays the fleet with changes from files.
func (f *fleet) play(o Options, changes Changes) (Result, error) {
	if o.For == 0 {
		o.For = 2 * time.Hour
	}
	if o.RepairTakes == 0 {
		o.RepairTakes = 10 * time.Minute
	}
	s, err := Suppose(f.facts(), changes, mhcspec.Policy{Adopt: f.policy})
	if err != nil {
		return Result{}, err
	}
	for _, u := range s.Unread() {
		u.Read(f.health(u.Machine))
	}
	return s.Play(o)
}
