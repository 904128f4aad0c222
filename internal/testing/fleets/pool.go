package fleets

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/machinehealthcheck/admission"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// Namespace holds everything.
const Namespace = "default"

// pool is one MachineHealthCheck with its machines, in a cluster.
type pool struct {
	now      time.Time
	cluster  *clusterv1.Cluster
	mhc      *clusterv1.MachineHealthCheck
	machines []*clusterv1.Machine
	nodes    map[string]*corev1.Node
	records  []*v1alpha1.MachineRemediation
	// unreadable says why no Node of it can be read.
	unreadable string
}

func newPool(now time.Time, cluster *clusterv1.Cluster, name string, opts ...build.MachineHealthCheckOption) *pool {
	opts = append([]build.MachineHealthCheckOption{
		build.UnhealthyNodeCondition(corev1.NodeReady, corev1.ConditionUnknown, 5*time.Minute), inCluster(cluster.Name),
		build.Selector(map[string]string{"pool": name}),
	}, opts...)
	return &pool{now: now, cluster: cluster, mhc: build.MachineHealthCheck(Namespace, name, opts...), nodes: map[string]*corev1.Node{}}
}

func inCluster(name string) build.MachineHealthCheckFunc {
	return func(mhc *clusterv1.MachineHealthCheck) { mhc.Spec.ClusterName = name }
}

// zone puts a machine into a failure domain.
func zone(name string) build.MachineFunc {
	return func(m *clusterv1.Machine) { m.Spec.FailureDomain = name }
}

// machine adds one with a verdict, and a Node whose condition Ready has a status since so long.
func (p *pool) machine(name string, verdict metav1.Condition, ready corev1.ConditionStatus, since time.Duration, opts ...build.MachineOption) *clusterv1.Machine {
	m := build.Machine(Namespace, name, append([]build.MachineOption{build.InCluster(p.cluster.Name), build.Label("pool", p.mhc.Name)}, append(opts, build.NodeRef(name))...)...)
	verdict.Type = machinehealth.ConditionType
	m.Status.Conditions = append(m.Status.Conditions, verdict)
	p.nodes[name] = build.Node(name, build.NodeReady(metav1.ConditionStatus(ready), p.now.Add(-since)))
	p.machines = append(p.machines, m)
	return m
}

func (p *pool) healthy(name string, opts ...build.MachineOption) *clusterv1.Machine {
	verdict := metav1.Condition{Status: metav1.ConditionTrue, Reason: machinehealth.ReasonSucceeded, LastTransitionTime: metav1.NewTime(p.now.Add(-10 * time.Hour))}
	return p.machine(name, verdict, corev1.ConditionTrue, 10*time.Hour, opts...)
}

// sick adds a machine that has been sick since so long.
func (p *pool) sick(name string, since time.Duration, opts ...build.MachineOption) *clusterv1.Machine {
	verdict := metav1.Condition{
		Status: metav1.ConditionFalse, Reason: "ReadyUnhealthy", Message: "Node condition Ready is Unknown for more than 5m0s", LastTransitionTime: metav1.NewTime(p.now.Add(-since)),
	}
	return p.machine(name, verdict, corev1.ConditionUnknown, since+5*time.Minute, opts...)
}

// undecided adds a machine whose Node has not been ready for so long, which is not long enough.
func (p *pool) undecided(name string, since time.Duration, opts ...build.MachineOption) *clusterv1.Machine {
	verdict := metav1.Condition{
		Status: metav1.ConditionUnknown, Reason: machinehealth.ReasonNodeConditionsNotYet, Message: "Waiting for unhealthyCondition timeout",
		LastTransitionTime: metav1.NewTime(p.now.Add(-since)),
	}
	return p.machine(name, verdict, corev1.ConditionUnknown, since, opts...)
}

// recovers makes a sick machine healthy since so long.
func (p *pool) recovers(m *clusterv1.Machine, since time.Duration) {
	m.Status.Conditions[len(m.Status.Conditions)-1] = metav1.Condition{
		Type: machinehealth.ConditionType, Status: metav1.ConditionTrue, Reason: machinehealth.ReasonSucceeded, LastTransitionTime: metav1.NewTime(p.now.Add(-since)),
	}
	p.nodes[m.Name] = build.Node(m.Name, build.NodeReady(metav1.ConditionTrue, p.now.Add(-since)))
}

// record admits a sick machine at the time when it fell sick.
func (p *pool) record(m *clusterv1.Machine, steps ...v1alpha1.RemediationStep) *v1alpha1.MachineRemediation {
	verdict := m.Status.Conditions[len(m.Status.Conditions)-1]
	r := &v1alpha1.MachineRemediation{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: Namespace, Name: m.Name + "-5f2c9d1e-1", UID: types.UID("record-of-" + m.Name), CreationTimestamp: verdict.LastTransitionTime,
			Labels: map[string]string{v1alpha1.OpenLabel: ""}, Finalizers: []string{v1alpha1.RemediationFinalizer},
		},
		Spec: v1alpha1.MachineRemediationSpec{
			ClusterName: p.cluster.Name, MachineRef: v1alpha1.RemediatedMachineReference{Name: m.Name, UID: m.UID}, Grant: 1, Steps: steps,
			HealthCheckRef: v1alpha1.RemediationReference{Name: p.mhc.Name, UID: p.mhc.UID}, ProbationSeconds: new(int32(300)),
			TemplateRef: &v1alpha1.PlanReference{Name: "metal"},
			Finding:     v1alpha1.RemediationFinding{Reason: verdict.Reason, Message: verdict.Message, Since: verdict.LastTransitionTime},
		},
	}
	p.records = append(p.records, r)
	return r
}

// plan is one as people have it for bare metal: watch, reboot twice, replace if a person approves, hold.
func plan() []v1alpha1.RemediationStep {
	replace := step("replace", v1alpha1.ActionReplace, 1, time.Hour)
	replace.Approval = v1alpha1.ApprovalRequired
	return []v1alpha1.RemediationStep{
		step("watch", v1alpha1.ActionWait, 1, 5*time.Minute), step("reboot", v1alpha1.ActionReboot, 2, 20*time.Minute), replace, step("hold", v1alpha1.ActionHold, 1, 0),
	}
}

func step(name string, action v1alpha1.Action, attempts int32, timeout time.Duration) v1alpha1.RemediationStep {
	s := v1alpha1.RemediationStep{Name: name, Action: action, Attempts: attempts, Approval: v1alpha1.ApprovalNotRequired, DoneWhen: v1alpha1.DoneWhenMachineHealthy}
	if timeout > 0 {
		s.TimeoutSeconds = new(int32(timeout / time.Second))
	}
	return s
}

// atMostOne lets one machine be repaired at once.
func atMostOne() build.MachineHealthCheckOption {
	return build.MachineHealthCheckFunc(func(mhc *clusterv1.MachineHealthCheck) {
		metav1.SetMetaDataAnnotation(&mhc.ObjectMeta, admission.MaxInFlightAnnotation, "1")
	})
}

func name(of string, i int) string { return fmt.Sprintf("%s-%04d", of, i) }
