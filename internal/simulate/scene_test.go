package simulate

import (
	"cmp"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/explain/explaintest"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/silence"
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

	set *clusterv1.MachineSet
	// owner is what is known about the owner of all machines; its kind and name are those of the MachineSet if it has no controller.
	owner  silence.Facts
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
	f.Planned(v1alpha1.RemediationPlan{Steps: steps})
	if change != nil {
		change(&f.Plan.Spec.Template.Spec)
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
	for _, m := range all.Machines {
		if m.Owner = f.owner; f.owner.Controller == nil {
			m.Owner.Controller = metav1.GetControllerOf(m.Machine)
			continue
		}
		m.Machine.OwnerReferences = []metav1.OwnerReference{*f.owner.Controller}
	}
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
	o.For, o.RepairTakes = cmp.Or(o.For, 2*time.Hour), cmp.Or(o.RepairTakes, 10*time.Minute)
	s, err := Suppose(f.facts(), changes, mhcspec.Policy{Adopt: f.policy})
	if err != nil {
		return Result{}, err
	}
	s.ReadHealth(func(m *clusterv1.Machine, _ *clusterv1.MachineHealthCheck, _ *clusterv1.Cluster) (verdict.Facts, error) {
		return f.health(m), nil
	})
	return s.Play(o)
}

// played plays the fleet as it is.
func (f *fleet) played(t *testing.T) Result {
	t.Helper()
	result, err := f.play(Options{}, Changes{})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// ownedBy gives all machines an owner of another kind.
func (f *fleet) ownedBy(apiVersion, kind string) *fleet {
	f.owner.Controller = &metav1.OwnerReference{APIVersion: apiVersion, Kind: kind, Name: "x", UID: "x", Controller: new(true)}
	return f
}

// pausedSet pauses the owner of all machines.
func (f *fleet) pausedSet() *fleet {
	metav1.SetMetaDataAnnotation(&f.set.ObjectMeta, clusterv1.PausedAnnotation, "")
	f.owner.Owner = f.set
	return f
}

// onDelete makes the owner of all machines an older revision of a MachineDeployment with the strategy OnDelete.
func (f *fleet) onDelete() *fleet {
	d := &clusterv1.MachineDeployment{}
	d.Name, d.Annotations = "md", map[string]string{clusterv1.RevisionAnnotation: "2"}
	d.Spec.Rollout.Strategy.Type = clusterv1.OnDeleteMachineDeploymentStrategyType
	f.owner.Owner, f.owner.Deployment = f.set, d
	return f
}

// one bounds a plan to one repair at once.
func one(p *v1alpha1.RemediationPlan) { p.MaxInFlight = new(intstr.FromInt32(1)) }

// deletion is a step that deletes the machine, whatever owns it.
func deletion() v1alpha1.RemediationStep {
	s := step("replace", v1alpha1.ActionReplace, 1, time.Hour)
	s.By = v1alpha1.ReplaceByDeletion
	return s
}

// noneInFlight makes the owner of all machines that of a MachineDeployment which allows no remediation.
func (f *fleet) noneInFlight() *fleet {
	d := &clusterv1.MachineDeployment{}
	d.Name, d.Spec.Remediation.MaxInFlight = "md", new(intstr.FromInt32(0))
	f.owner.Owner, f.owner.Deployment = f.set, d
	return f
}

// machineCondition has the health check look at a condition of Machines.
func (f *fleet) machineCondition(kind, status string, timeout time.Duration) *fleet {
	f.Check.Spec.Checks.UnhealthyMachineConditions = append(f.Check.Spec.Checks.UnhealthyMachineConditions, clusterv1.UnhealthyMachineCondition{
		Type: kind, Status: metav1.ConditionStatus(status), TimeoutSeconds: new(int32(timeout / time.Second)),
	})
	return f
}

// became gives a machine of yesterday a condition that it has had since so long after its beginning.
func became(kind, status string, after time.Duration) build.MachineOption {
	return build.Condition(kind, metav1.ConditionStatus(status), "Since", noon.Add(after-24*time.Hour))
}
