// Package explaintest builds fleets by hand for tests of packages that explain them. The decisions in them are the controllers' own.
package explaintest

import (
	"slices"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/onmachine"
	"github.com/sickbay-dev/sickbay/internal/repair/silence"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// Scene is one cluster with one MachineHealthCheck.
type Scene struct {
	Now     time.Time
	Cluster *clusterv1.Cluster
	Check   *clusterv1.MachineHealthCheck
	Plan    *v1alpha1.MachineRemediationTemplate
	// Machines, with their Nodes and records, are identified by name.
	Machines []*clusterv1.Machine
	Records  []*v1alpha1.MachineRemediation
	// Unreadable says why the Nodes of the cluster cannot be read; empty if they can.
	Unreadable string
	// Foreign reports that another controller manages the MachineHealthCheck.
	Foreign bool

	// Nodes are keyed by the names of their machines.
	Nodes map[string]*corev1.Node
	hosts []*explain.Host
	// on maps hosts to the names of their machines.
	on map[string]string
	// begun are requests that their records have not stored yet: the first act precedes its attempt in the status.
	begun map[string]*ladder.Request
	// owners are what is known about owners, keyed by the names of their machines.
	owners map[string]silence.Facts
}

// Noon is the time of all scenes.
var Noon = build.Epoch.Add(12 * time.Hour)

// New returns a scene with a healthy cluster and no machines.
func New() *Scene { return In(build.ClusterName, "workers") }

// In returns a scene in the named cluster, with the named MachineHealthCheck.
func In(cluster, check string) *Scene {
	ready := build.UnhealthyNodeCondition(corev1.NodeReady, corev1.ConditionUnknown, 5*time.Minute)
	return &Scene{
		Now: Noon, Nodes: map[string]*corev1.Node{}, on: map[string]string{}, begun: map[string]*ladder.Request{}, owners: map[string]silence.Facts{}, Cluster: build.Cluster("default", cluster),
		Check: build.MachineHealthCheck("default", check, build.InCluster(cluster), build.Selector(map[string]string{clusterv1.ClusterNameLabel: cluster}), ready),
	}
}

// Annotated sets an annotation on the MachineHealthCheck.
func (s *Scene) Annotated(key, value string) *Scene {
	metav1.SetMetaDataAnnotation(&s.Check.ObjectMeta, key, value)
	return s
}

// AtMost sets the limit of the gate.
func (s *Scene) AtMost(limit string) *Scene {
	s.Check.Spec.Remediation.TriggerIf.UnhealthyLessThanOrEqualTo = new(intstr.Parse(limit))
	return s
}

// Planned gives the MachineHealthCheck a plan.
func (s *Scene) Planned(plan v1alpha1.RemediationPlan) *Scene {
	s.Plan = &v1alpha1.MachineRemediationTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "metal", UID: "metal", Generation: 1}}
	s.Plan.Spec.Template.Spec = plan
	build.TemplateRef(v1alpha1.GroupVersion.WithKind("MachineRemediationTemplate"), s.Plan.Name)(s.Check)
	return s
}

// Host adds a BareMetalHost that is on and runs a machine, with its power cycles.
func (s *Scene) Host(name, machine string, cycles ...*v1alpha1.RebootRemediation) *metal3v1.BareMetalHost {
	h := &metal3v1.BareMetalHost{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name), Annotations: map[string]string{}}}
	h.Spec.Online, h.Status.PoweredOn = true, true
	s.hosts, s.on[name] = append(s.hosts, &explain.Host{Host: h, Cycles: cycles}), machine
	return h
}

// Machine adds a machine with a verdict that began so long ago.
func (s *Scene) Machine(name string, status metav1.ConditionStatus, reason, message string, since time.Duration, opts ...build.MachineOption) *clusterv1.Machine {
	opts = append([]build.MachineOption{build.InCluster(s.Cluster.Name), build.NodeRef("node-" + name)}, opts...)
	m := build.Machine("default", name, opts...)
	m.Status.Conditions = append(m.Status.Conditions, metav1.Condition{
		Type: verdict.ConditionType, Status: status, Reason: reason, Message: message, LastTransitionTime: metav1.NewTime(s.Now.Add(-since)),
	})
	s.Machines = append(s.Machines, m)
	return m
}

// Healthy adds a machine that has been healthy for ten hours.
func (s *Scene) Healthy(name string, opts ...build.MachineOption) *clusterv1.Machine {
	s.Node(name, corev1.ConditionTrue, 10*time.Hour)
	return s.Machine(name, metav1.ConditionTrue, verdict.ReasonSucceeded, "", 10*time.Hour, opts...)
}

// Sick adds a machine that has been sick for so long.
func (s *Scene) Sick(name string, since time.Duration, opts ...build.MachineOption) *clusterv1.Machine {
	s.Node(name, corev1.ConditionUnknown, since+5*time.Minute)
	return s.Machine(name, metav1.ConditionFalse, "ReadyUnhealthy", "Node condition Ready is Unknown for more than 5m0s", since, opts...)
}

// Node gives a machine a Node whose condition Ready has had this status for so long.
func (s *Scene) Node(machine string, ready corev1.ConditionStatus, since time.Duration) {
	s.Nodes[machine] = &corev1.Node{Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{
		Type: corev1.NodeReady, Status: ready, LastTransitionTime: metav1.NewTime(s.Now.Add(-since)),
	}}}}
}

// Record admits a sick machine with a plan at the time when it fell sick, and plays its repair until now.
func (s *Scene) Record(m *clusterv1.Machine, steps ...v1alpha1.RemediationStep) *v1alpha1.MachineRemediation {
	since := verdict.Of(m).LastTransitionTime
	r := &v1alpha1.MachineRemediation{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: m.Name + "-5f2c9d1e-1", UID: types.UID("record-of-" + m.Name), CreationTimestamp: since,
			Labels: map[string]string{v1alpha1.OpenLabel: ""}, Finalizers: []string{v1alpha1.RemediationFinalizer},
		},
		Spec: v1alpha1.MachineRemediationSpec{
			ClusterName: s.Cluster.Name, MachineRef: v1alpha1.RemediatedMachineReference{Name: m.Name, UID: m.UID}, Grant: 1, Steps: steps,
			HealthCheckRef: v1alpha1.RemediationReference{Name: s.Check.Name, UID: s.Check.UID}, ProbationSeconds: new(int32(300)),
			TemplateRef: &v1alpha1.PlanReference{Name: "metal"},
			Finding:     v1alpha1.RemediationFinding{Reason: verdict.Of(m).Reason, Message: verdict.Of(m).Message, Since: since},
		},
	}
	s.Records = append(s.Records, r)
	return r
}

func (s *Scene) ladderFacts(r *v1alpha1.MachineRemediation) ladder.Facts {
	config, _ := mhcspec.ParseConfig(s.Check, s.Plan)
	f := ladder.Facts{Record: r, Machine: ladder.Machine{Gone: true}, Bounded: config.Bounded()}
	for _, m := range s.Machines {
		if m.UID != r.Spec.MachineRef.UID {
			continue
		}
		f.Machine = onmachine.Machine(m, r)
		if step, _ := ladder.NextStep(r); step.Deletes() && !f.Machine.Deleting() {
			f.Safety.OthersAtWork = ladder.Said(silence.Unreplaced(s.owners[m.Name]))
		}
	}
	if len(r.Status.Attempts) == 0 {
		f.Request = s.begun[r.Name]
	}
	if n := len(r.Status.Attempts); n > 0 && r.Status.Attempts[n-1].EndTime == nil && made(r.Status.Attempts[n-1], "RebootRemediation") {
		attempt := r.Status.Attempts[n-1]
		f.Request = &ladder.Request{OperationID: attempt.OperationID, Ref: *attempt.ObjectRef, BeganAt: attempt.StartTime.Time}
	}
	return f
}

func (s *Scene) nodeFacts(m *clusterv1.Machine) verdict.NodeFacts {
	if !m.Status.NodeRef.IsDefined() {
		return verdict.NodeFacts{}
	}
	return verdict.NodeFacts{State: verdict.NodeFound, Node: s.Nodes[m.Name]}
}

// Facts puts everything together, as the fleet's observer does.
func (s *Scene) Facts() *explain.Facts {
	f := admission.Facts{MachineHealthCheck: s.Check, Cluster: s.Cluster, Records: s.Records, History: s.Records, Template: admission.Template{Plan: s.Plan}}
	check := &explain.Check{MachineHealthCheck: s.Check, Foreign: s.Foreign}
	all := &explain.Facts{Now: s.Now, Manager: explain.Manager{Name: "sickbay-0"}, Checks: []*explain.Check{check}, Clusters: []explain.Cluster{{Cluster: s.Cluster, Unreadable: s.Unreadable}}}
	for _, m := range s.Machines {
		f.Targets = append(f.Targets, admission.Target{Machine: m})
		one := &explain.Machine{Machine: m, Check: check, Health: &verdict.Facts{
			Machine: m, Cluster: s.Cluster, Rules: mhcspec.RulesOf(s.Check), Node: s.nodeFacts(m),
			WasHealthy: verdict.Of(m).Status == metav1.ConditionTrue, GracePeriod: 5 * time.Minute,
		}, Owner: s.owners[m.Name]}
		all.Machines, check.Machines = append(all.Machines, one), append(check.Machines, one)
	}
	_ = f.Suspect(s.Now, func(m *clusterv1.Machine) (verdict.Facts, error) {
		return *all.Machines[slices.Index(s.Machines, m)].Health, nil
	})
	check.Facts, check.Decision = f, admission.Decide(f, s.Now)
	check.Nothing = check.SelectsNothing(all.Machines)
	for _, r := range s.Records {
		one := &explain.Record{Record: r}
		all.Records = append(all.Records, one)
		if !ladder.Ended(one.Record) {
			one.Facts = s.ladderFacts(r)
			check.Open = append(check.Open, one)
		}
		for _, m := range all.Machines {
			switch {
			case m.Machine.UID != r.Spec.MachineRef.UID:
			case ladder.Ended(one.Record):
				m.Past = append(m.Past, one)
			default:
				m.Record = one
			}
		}
	}
	for _, h := range s.hosts {
		if i := slices.IndexFunc(all.Machines, func(m *explain.Machine) bool { return m.Machine.Name == s.on[h.Host.Name] }); i >= 0 {
			h.Machine = all.Machines[i]
		}
		all.Hosts = append(all.Hosts, h)
	}
	all.NoteBusyOwners()
	return all
}

// made reports whether an attempt created an object of a kind.
func made(attempt v1alpha1.RemediationAttempt, kind string) bool {
	return attempt.ObjectRef != nil && attempt.ObjectRef.Kind == kind
}
