package explain

import (
	"fmt"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/machinehealthcheck/admission"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// scene is a fleet that is put together by hand. The decisions in it are those of the controllers.
type scene struct {
	now     time.Time
	cluster *clusterv1.Cluster
	mhc     *clusterv1.MachineHealthCheck
	plan    *v1alpha1.MachineRemediationTemplate
	// machines, with their Nodes and records, are by name.
	machines []*clusterv1.Machine
	nodes    map[string]*corev1.Node
	records  []*v1alpha1.MachineRemediation
	// hosts, each with the name of the machine on it and its power cycles.
	hosts []sceneHost
}

type sceneHost struct {
	host    *metal3v1.BareMetalHost
	machine string
	cycles  []*v1alpha1.RebootRemediation
}

// host adds a BareMetalHost that is on and runs a machine.
func (s *scene) host(name, machine string, cycles ...*v1alpha1.RebootRemediation) *metal3v1.BareMetalHost {
	h := &metal3v1.BareMetalHost{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name), Annotations: map[string]string{}}}
	h.Status.PoweredOn = true
	s.hosts = append(s.hosts, sceneHost{h, machine, cycles})
	return h
}

// noon is when all scenes take place.
var noon = build.Epoch.Add(12 * time.Hour)

func newScene() *scene {
	return &scene{
		now: noon, nodes: map[string]*corev1.Node{},
		cluster: build.Cluster("default", build.ClusterName),
		mhc:     build.MachineHealthCheck("default", "workers", build.UnhealthyNodeCondition(corev1.NodeReady, corev1.ConditionUnknown, 5*time.Minute)),
	}
}

func (s *scene) annotated(key, value string) *scene {
	metav1.SetMetaDataAnnotation(&s.mhc.ObjectMeta, key, value)
	return s
}

func (s *scene) atMost(limit string) *scene {
	s.mhc.Spec.Remediation.TriggerIf.UnhealthyLessThanOrEqualTo = new(intstr.Parse(limit))
	return s
}

// machine adds a machine with a verdict since so long, and a Node that has been in a state since so long.
func (s *scene) machine(name string, verdict metav1.ConditionStatus, reason, message string, since time.Duration, opts ...build.MachineOption) *clusterv1.Machine {
	m := build.Machine("default", name, append(opts, build.NodeRef("node-"+name))...)
	m.Status.Conditions = append(m.Status.Conditions, metav1.Condition{
		Type: machinehealth.ConditionType, Status: verdict, Reason: reason, Message: message, LastTransitionTime: metav1.NewTime(s.now.Add(-since)),
	})
	s.machines = append(s.machines, m)
	return m
}

func (s *scene) healthy(name string, opts ...build.MachineOption) *clusterv1.Machine {
	s.node(name, corev1.ConditionTrue, 10*time.Hour)
	return s.machine(name, metav1.ConditionTrue, machinehealth.ReasonSucceeded, "", 10*time.Hour, opts...)
}

func (s *scene) sick(name string, since time.Duration, opts ...build.MachineOption) *clusterv1.Machine {
	s.node(name, corev1.ConditionUnknown, since+5*time.Minute)
	return s.machine(name, metav1.ConditionFalse, "ReadyUnhealthy", "Node condition Ready is Unknown for more than 5m0s", since, opts...)
}

func (s *scene) node(machine string, ready corev1.ConditionStatus, since time.Duration) {
	s.nodes[machine] = &corev1.Node{Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{
		Type: corev1.NodeReady, Status: ready, LastTransitionTime: metav1.NewTime(s.now.Add(-since)),
	}}}}
}

// record admits a sick machine at the time when it fell sick, with a plan, and plays its repair until now.
func (s *scene) record(m *clusterv1.Machine, steps ...v1alpha1.RemediationStep) *v1alpha1.MachineRemediation {
	since := s.verdictOf(m).LastTransitionTime
	r := &v1alpha1.MachineRemediation{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: m.Name + "-5f2c9d1e-1", UID: types.UID("record-of-" + m.Name), CreationTimestamp: since,
			Labels: map[string]string{v1alpha1.OpenLabel: ""}, Finalizers: []string{v1alpha1.RemediationFinalizer},
		},
		Spec: v1alpha1.MachineRemediationSpec{
			ClusterName: s.cluster.Name, MachineRef: v1alpha1.RemediatedMachineReference{Name: m.Name, UID: m.UID}, Grant: 1, Steps: steps,
			HealthCheckRef: v1alpha1.RemediationReference{Name: s.mhc.Name, UID: s.mhc.UID}, ProbationSeconds: new(int32(300)),
			TemplateRef: &v1alpha1.PlanReference{Name: "metal"},
			Finding:     v1alpha1.RemediationFinding{Reason: s.verdictOf(m).Reason, Message: s.verdictOf(m).Message, Since: since},
		},
	}
	s.records = append(s.records, r)
	return r
}

// play has the controller look at a record again and again, from one time to another. Each act is carried out as it is asked for,
// and each slot that is wanted is given.
func (s *scene) play(r *v1alpha1.MachineRemediation, from, to time.Time) {
	for at := from; !at.After(to); at = at.Add(time.Second) {
		for range maxTurns {
			d := ladder.Decide(s.ladderFacts(r), at)
			if d.Store {
				r.Status = d.Status
				continue
			}
			if d.Act.Begins() && len(r.Status.Attempts) == int(d.Attempt.Number) && r.Status.Attempts[d.Attempt.Number-1].ObjectRef == nil {
				made := &v1alpha1.RemediationObjectReference{Kind: "Machine", Name: r.Spec.MachineRef.Name}
				if d.Act == ladder.CreateReboot {
					made = &v1alpha1.RemediationObjectReference{Kind: "RebootRemediation", Name: fmt.Sprintf("%s-%d", r.Name, d.Attempt.Number)}
				}
				r.Status.Attempts[d.Attempt.Number-1].ObjectRef = made
				continue
			}
			break
		}
		if wants, _ := ladder.WantsSlot(r, at); wants {
			r.Spec.Grant = r.Status.ReleasedGrant + 1
		}
	}
}

func (s *scene) verdictOf(m *clusterv1.Machine) metav1.Condition {
	return (&Machine{Machine: m}).verdict()
}

func (s *scene) ladderFacts(r *v1alpha1.MachineRemediation) ladder.Facts {
	f := ladder.Facts{Record: r, Machine: ladder.Machine{Gone: true}}
	for _, m := range s.machines {
		if m.UID != r.Spec.MachineRef.UID {
			continue
		}
		f.Machine = ladder.Machine{Health: ladder.Undecided}
		switch s.verdictOf(m).Status {
		case metav1.ConditionTrue:
			f.Machine.Health = ladder.Healthy
		case metav1.ConditionFalse:
			f.Machine.Health = ladder.Sick
		default:
		}
	}
	if n := len(r.Status.Attempts); n > 0 && r.Status.Attempts[n-1].EndTime == nil && made(r.Status.Attempts[n-1], "RebootRemediation") {
		attempt := r.Status.Attempts[n-1]
		f.Request = &ladder.Request{OperationID: attempt.OperationID, Ref: *attempt.ObjectRef}
	}
	return f
}

// facts puts everything together as the fleet's observer does.
func (s *scene) facts() *Facts {
	f := admission.Facts{MachineHealthCheck: s.mhc, Cluster: s.cluster, Records: s.records, History: s.records, Template: admission.Template{Plan: s.plan}}
	check := &Check{MachineHealthCheck: s.mhc}
	all := &Facts{Now: s.now, Manager: Manager{Name: "sickbay-0"}, Checks: []*Check{check}, Clusters: []Cluster{{Cluster: s.cluster}}}
	for _, m := range s.machines {
		f.Targets = append(f.Targets, admission.Target{Machine: m})
		one := &Machine{Machine: m, Check: check, Health: &machinehealth.Facts{
			Machine: m, Cluster: s.cluster, Rules: machinehealth.RulesOf(s.mhc), Node: machinehealth.NodeFacts{State: machinehealth.NodeFound, Node: s.nodes[m.Name]},
			WasHealthy: s.verdictOf(m).Status == metav1.ConditionTrue, GracePeriod: 5 * time.Minute,
		}}
		all.Machines, check.Machines = append(all.Machines, one), append(check.Machines, one)
	}
	check.Facts, check.Decision = f, admission.Decide(f, s.now)
	for _, r := range s.records {
		one := &Record{Record: r}
		all.Records = append(all.Records, one)
		if !one.ended() {
			one.Facts = s.ladderFacts(r)
		}
		for _, m := range all.Machines {
			switch {
			case m.Machine.UID != r.Spec.MachineRef.UID:
			case one.ended():
				m.Past = append(m.Past, one)
			default:
				m.Record = one
			}
		}
	}
	for _, h := range s.hosts {
		one := &Host{Host: h.host, Cycles: h.cycles}
		for _, m := range all.Machines {
			if m.Machine.Name == h.machine {
				one.Machine = m
			}
		}
		all.Hosts = append(all.Hosts, one)
	}
	return all
}

func made(attempt v1alpha1.RemediationAttempt, kind string) bool {
	return attempt.ObjectRef != nil && attempt.ObjectRef.Kind == kind
}
