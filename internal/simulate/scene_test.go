package simulate

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/machinehealthcheck/admission"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
	"github.com/sickbay-dev/sickbay/internal/targets"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// noon is when all scenes begin.
var noon = build.Epoch.Add(12 * time.Hour)

// fleet is put together by hand, as the fleet's observer would find it.
type fleet struct {
	cluster  *clusterv1.Cluster
	mhc      *clusterv1.MachineHealthCheck
	plan     *v1alpha1.MachineRemediationTemplate
	set      *clusterv1.MachineSet
	machines []*clusterv1.Machine
	nodes    map[types.UID]*corev1.Node
	// records are open.
	records []*explain.Record
	policy  targets.Adoption
	// new reports that the health check is not in the fleet yet.
	new bool
}

func newFleet() *fleet {
	return &fleet{
		cluster: build.Cluster("default", build.ClusterName), nodes: map[types.UID]*corev1.Node{}, set: build.MachineSet("default", "md-0", build.UID("md-0")),
		mhc: build.MachineHealthCheck("default", "workers", build.UID("workers"), build.UnhealthyNodeCondition(corev1.NodeReady, corev1.ConditionUnknown, 5*time.Minute)),
	}
}

func (f *fleet) annotated(key, value string) *fleet {
	metav1.SetMetaDataAnnotation(&f.mhc.ObjectMeta, key, value)
	return f
}

func (f *fleet) atMost(limit string) *fleet {
	f.mhc.Spec.Remediation.TriggerIf.UnhealthyLessThanOrEqualTo = new(intstr.Parse(limit))
	return f
}

// machine adds a machine whose Node is Ready or not since a while.
func (f *fleet) machine(name string, ready corev1.ConditionStatus, since time.Duration, opts ...build.MachineOption) *clusterv1.Machine {
	opts = append(opts, build.NodeRef("node-"+name), build.UID(types.UID("uid-"+name)), build.OwnedBy(f.set), build.CreatedAt(noon.Add(-24*time.Hour)))
	m := build.Machine("default", name, opts...)
	m.Status.Phase = string(clusterv1.MachinePhaseRunning)
	f.machines = append(f.machines, m)
	f.nodes[m.UID] = &corev1.Node{Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{
		Type: corev1.NodeReady, Status: ready, LastTransitionTime: metav1.NewTime(noon.Add(-since)),
	}}}}
	return m
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

// planned has the health check name a plan.
func (f *fleet) planned(change func(*v1alpha1.RemediationPlan), steps ...v1alpha1.RemediationStep) *fleet {
	f.plan = &v1alpha1.MachineRemediationTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "metal", UID: "metal", Generation: 1}}
	f.plan.Spec.Template.Spec.Steps = steps
	if change != nil {
		change(&f.plan.Spec.Template.Spec)
	}
	f.mhc.Spec.Remediation.TemplateRef = clusterv1.MachineHealthCheckRemediationTemplateReference{
		APIVersion: v1alpha1.GroupVersion.String(), Kind: "MachineRemediationTemplate", Name: "metal",
	}
	return f
}

// rebooting adds a sick machine whose host is being power-cycled by a record, as the plan of the fleet asks.
func (f *fleet) rebooting(name string, since time.Duration) *fleet {
	m := f.machine(name, corev1.ConditionUnknown, since+5*time.Minute)
	began := metav1.NewTime(noon.Add(-since))
	r := &v1alpha1.MachineRemediation{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name + "-1", UID: types.UID("record-of-" + name), CreationTimestamp: began}}
	r.Labels, r.Finalizers = map[string]string{v1alpha1.OpenLabel: ""}, []string{v1alpha1.RemediationFinalizer}
	r.Spec = v1alpha1.MachineRemediationSpec{
		ClusterName: f.cluster.Name, MachineRef: v1alpha1.RemediatedMachineReference{Name: name, UID: m.UID}, Grant: 1, Steps: f.plan.Spec.Template.Spec.Steps,
		HealthCheckRef: v1alpha1.RemediationReference{Name: f.mhc.Name, UID: f.mhc.UID}, TemplateRef: &v1alpha1.PlanReference{Name: "metal", UID: "metal", Generation: 1},
	}
	facts := ladder.Facts{Record: r, Machine: ladder.Machine{Health: ladder.Sick}}
	for range 5 {
		d := ladder.Decide(facts, began.Time)
		if d.Store {
			r.Status = d.Status
		}
		if d.Act == ladder.CreateReboot {
			facts.Request = &ladder.Request{OperationID: d.Attempt.OperationID, Ref: v1alpha1.RemediationObjectReference{Kind: "RebootRemediation", Name: r.Name}}
		}
	}
	f.records = append(f.records, &explain.Record{Record: r, Facts: facts})
	return f
}

// facts are as the fleet's observer finds them: verdicts are given.
func (f *fleet) facts() *explain.Facts {
	all := &explain.Facts{Now: noon, Clusters: []explain.Cluster{{Cluster: f.cluster}}}
	check := &explain.Check{MachineHealthCheck: f.mhc, Facts: admission.Facts{MachineHealthCheck: f.mhc, Cluster: f.cluster, Template: admission.Template{Plan: f.plan}}}
	if !f.new {
		all.Checks = []*explain.Check{check}
	}
	for _, m := range f.machines {
		one := &explain.Machine{Machine: m}
		all.Machines = append(all.Machines, one)
		health := machinehealth.Facts{
			Machine: m, Cluster: f.cluster, Rules: machinehealth.RulesOf(f.mhc), GracePeriod: 5 * time.Minute,
			Node: machinehealth.NodeFacts{State: machinehealth.NodeFound, Node: f.nodes[m.UID]},
		}
		result := machinehealth.Decide(health, noon)
		m.Status.Conditions = append(m.Status.Conditions, metav1.Condition{
			Type: machinehealth.ConditionType, Status: metav1.ConditionStatus(result.Status), Reason: result.Reason, Message: result.Message,
			LastTransitionTime: metav1.NewTime(f.nodes[m.UID].Status.Conditions[0].LastTransitionTime.Add(5 * time.Minute)),
		})
		health.WasHealthy = result.Status == "True"
		if f.new {
			continue
		}
		one.Health, one.Check = &health, check
		check.Machines = append(check.Machines, one)
		check.Facts.Targets = append(check.Facts.Targets, admission.Target{Machine: m})
	}
	for _, r := range f.records {
		all.Records = append(all.Records, r)
		check.Facts.Records, check.Facts.History = append(check.Facts.Records, r.Record), append(check.Facts.History, r.Record)
	}
	check.Decision = admission.Decide(check.Facts, noon)
	return all
}

// play plays the fleet; changes are those of files.
func (f *fleet) play(o Options, changes Changes) (Result, error) {
	if o.For == 0 {
		o.For = 2 * time.Hour
	}
	if o.RepairTakes == 0 {
		o.RepairTakes = 10 * time.Minute
	}
	s, err := Suppose(f.facts(), changes, targets.Policy{Adopt: f.policy})
	if err != nil {
		return Result{}, err
	}
	for _, u := range s.Unread() {
		u.Read(machinehealth.Facts{
			Machine: u.Machine, Cluster: u.Cluster, Rules: machinehealth.RulesOf(u.MachineHealthCheck),
			Node: machinehealth.NodeFacts{State: machinehealth.NodeFound, Node: f.nodes[u.Machine.UID]},
		})
	}
	return s.Play(o)
}

func step(name string, action v1alpha1.Action, attempts int32, timeout time.Duration) v1alpha1.RemediationStep {
	s := v1alpha1.RemediationStep{Name: name, Action: action, Attempts: attempts, Approval: v1alpha1.ApprovalNotRequired, DoneWhen: v1alpha1.DoneWhenMachineHealthy}
	if timeout > 0 {
		s.TimeoutSeconds = new(int32(timeout / time.Second))
	}
	return s
}

// metal is a plan as people have it for bare metal.
func metal() []v1alpha1.RemediationStep {
	replace := step("replace", v1alpha1.ActionReplace, 1, time.Hour)
	replace.Approval = v1alpha1.ApprovalRequired
	return []v1alpha1.RemediationStep{
		step("watch", v1alpha1.ActionWait, 1, 5*time.Minute), step("reboot", v1alpha1.ActionReboot, 2, 20*time.Minute), replace, step("hold", v1alpha1.ActionHold, 1, 0),
	}
}
