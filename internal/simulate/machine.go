package simulate

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain/ahead"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/onmachine"
)

// machine is a simulated Machine.
type machine struct {
	// obj is the observed Machine until something changes in it, and then a changed copy.
	obj *clusterv1.Machine
	// health has the facts for its verdict; nil if they could not be read. Then the stored verdict counts.
	health *verdict.Facts
	// checks are the health checks that judge it, the oldest first, and check is the one that repairs it, or would.
	checks []*check
	check  *check
	stray  string
	host   *v1alpha1.RemediationReference
	// record is its open record; nil if there is none. ordinal is the number of its last record.
	record  *record
	ordinal int
	// takesPlaceOf is the record of the machine that this one replaces; nil if there is none.
	takesPlaceOf *record

	// generation counts the simulated machines that it succeeds.
	generation int

	gone, dirty bool
	// hangs reports that it is being deleted from the beginning, and is not gone before the end.
	hangs bool
	// left is why its owner has left it as it is although it was asked to replace it; empty if it has not.
	left string
	// refused is what its owner said when it refused to replace it before the simulation; empty if it did not.
	refused string
	// These are for the summary: it was sick at some time, something was done about it, and something had been done before the
	// simulation.
	wasSick, acted, underWay bool
	// forerunner is the machine that it replaces; nil if there is none.
	forerunner *machine
	// begins are the unhealthy conditions with which it began as a successor, and goneFor is why it was sick when it was
	// replaced.
	begins  []string
	goneFor string
	// endless reports that machines in its place are replaced without end, and again that it is one of them, which the timeline leaves out. looped
	// reports that the timeline has said that something goes on like this, and said counts what it has said.
	endless, again, looped bool
	said                   map[string]int
	// before is the verdict at the beginning of this moment, and seen reports that it was recorded.
	before metav1.Condition
	seen   bool
	// fails reports that its Node stops being Ready at this moment.
	fails bool
}

// change replaces the Machine with a changed copy.
func (m *machine) change(s *Scene, do func(*clusterv1.Machine)) {
	obj := *m.obj
	obj.Status.Conditions = slices.Clone(obj.Status.Conditions)
	do(&obj)
	s.occupied.Note(m.obj, &obj)
	m.obj = &obj
	if m.health != nil {
		m.health.Machine = m.obj
	}
	for _, c := range m.checks {
		c.update(m)
		s.look(c)
	}
	if m.record != nil {
		m.record.touch(s)
	}
	if m.takesPlaceOf != nil {
		m.takesPlaceOf.touch(s)
	}
}

// verdict returns the stored verdict; empty if there is none.
func (m *machine) verdict() metav1.Condition {
	return verdict.Of(m.obj)
}

func (m *machine) sick() bool { return m.verdict().Status == metav1.ConditionFalse }

// standing returns the verdict in the ladder's terms.
func (m *machine) standing() ladder.Health { return onmachine.HealthBy(m.verdict().Status) }

// node returns the Node if it could be read; nil otherwise.
func (m *machine) node() *corev1.Node {
	if m.health == nil {
		return nil
	}
	return m.health.Node.Node
}

// judged reports whether the machine can be judged here. If only the manager can read its Node, it cannot.
func (m *machine) judged() bool {
	if m.gone || m.health == nil || m.pausedBy() != "" || m.check.foreign {
		return false
	}
	return m.health.Node.State != verdict.NodeUnreadable || m.verdict().Reason == verdict.ReasonNodeUnavailable
}

// judge decides the verdict on a machine as of this moment.
func (s *Scene) judge(m *machine) {
	if !m.judged() {
		return
	}
	s.watch(m)
	result := verdict.Decide(*m.health, s.now)
	at := ahead.FirstAfter(s.now, result.RecheckAt, result.Deadline)
	s.agenda.add(at, func() { s.lookAt(m) })
	status := verdict.ConditionStatus(result.Status)
	before := m.verdict()
	if before.Status == status && before.Reason == result.Reason && before.Message == result.Message {
		return
	}
	s.moment.note(m, before)
	m.health.WasHealthy = status == metav1.ConditionTrue
	m.change(s, func(obj *clusterv1.Machine) {
		meta.SetStatusCondition(&obj.Status.Conditions, metav1.Condition{
			Type: verdict.ConditionType, Status: status, Reason: result.Reason, Message: result.Message, LastTransitionTime: s.time(),
		})
	})
	s.ownerLooks(m)
}

// watch stores what is remembered of the conditions of the Node.
func (s *Scene) watch(m *machine) {
	if m.health.Node.State != verdict.NodeFound || !verdict.Distrusts(m.health.Rules) && !slices.ContainsFunc(m.health.More, verdict.Distrusts) {
		return
	}
	result, stored := verdict.DecideTrust(*m.health, s.now), meta.FindStatusCondition(m.obj.Status.Conditions, verdict.TrustConditionType)
	if stored != nil && stored.Message == result.Message {
		return
	}
	m.change(s, func(obj *clusterv1.Machine) {
		meta.SetStatusCondition(&obj.Status.Conditions, metav1.Condition{
			Type: verdict.TrustConditionType, Status: metav1.ConditionStatus(result.Status), Reason: result.Reason, Message: result.Message, LastTransitionTime: s.time(),
		})
	})
}

// time returns the current time as the API stores it.
func (s *Scene) time() metav1.Time { return metav1.NewTime(s.now) }

// cure makes the Node of a machine Ready, and removes the conditions for which its health check calls it sick.
func (m *machine) cure(s *Scene) {
	begins, _ := s.beginningOf(m)
	lasting := func(rule mhcspec.ConditionRule) bool { return slices.Contains(begins.machine, begin{rule: rule}) }
	bad := func(c metav1.Condition) bool {
		return c.Type == verdict.HostConditionType || slices.ContainsFunc(m.checks, func(by *check) bool {
			return slices.ContainsFunc(by.rulesOfHealth.MachineConditions, func(rule mhcspec.ConditionRule) bool {
				return rule.Type == c.Type && rule.Status == string(c.Status) && !lasting(rule)
			})
		})
	}
	m.change(s, func(obj *clusterv1.Machine) {
		obj.Status.Deprecated = nil // that its provider has given it up
		obj.Status.Conditions = slices.DeleteFunc(obj.Status.Conditions, bad)
		if !obj.Status.NodeRef.IsDefined() {
			obj.Status.NodeRef.Name = obj.Name
		}
	})
	m.ready(s, corev1.ConditionTrue, "KubeletReady")
}

// ready sets the condition Ready of a machine's Node.
func (m *machine) ready(s *Scene, status corev1.ConditionStatus, reason string) {
	node := &corev1.Node{}
	if old := m.node(); old != nil && status != corev1.ConditionTrue {
		*node = *old
	}
	is := corev1.NodeCondition{Type: corev1.NodeReady, Status: status, Reason: reason, LastTransitionTime: s.time()}
	conditions := slices.DeleteFunc(slices.Clone(node.Status.Conditions), func(c corev1.NodeCondition) bool { return c.Type == corev1.NodeReady })
	conditions = append(conditions, is)
	node.Name, node.Status.Conditions = m.obj.Status.NodeRef.Name, conditions
	if status == corev1.ConditionTrue {
		s.beginOnNode(m, node)
	}
	if m.health == nil {
		m.health = &verdict.Facts{Machine: m.obj, Cluster: m.check.cluster, WasHealthy: m.verdict().Status == metav1.ConditionTrue}
		m.health.Rules, m.health.More = m.rulesFor()
	}
	m.health.Node = verdict.NodeFacts{State: verdict.NodeFound, Node: node}
	s.lookAt(m)
}

// remove marks a machine as gone.
func (m *machine) remove(s *Scene) {
	m.gone = true
	if m.sick() {
		m.goneFor = m.verdict().Message
	}
	s.occupied.Note(m.obj, nil)
	for _, c := range m.checks {
		c.stale, c.gate = true, nil
		s.look(c)
	}
}

// replace creates the successor of a machine that is gone.
func (m *machine) replace(s *Scene) *machine {
	obj := m.obj.DeepCopy()
	obj.Name, obj.UID = successorName(m), "simulated-after-"+m.obj.UID
	obj.CreationTimestamp, obj.DeletionTimestamp, obj.Finalizers = s.time(), nil, nil
	obj.Annotations = withoutRequests(obj.Annotations)
	obj.Status.Conditions, obj.Status.Deprecated = nil, nil
	obj.Status.NodeRef, obj.Status.Phase = clusterv1.MachineNodeReference{}, string(clusterv1.MachinePhaseRunning)
	other := &machine{obj: obj, checks: m.checks, check: m.check, generation: m.generation + 1, forerunner: m, again: m.again || m.loops()}
	s.startAs(other)
	other.health = &verdict.Facts{Machine: obj, Cluster: m.check.cluster}
	other.health.Rules, other.health.More = other.rulesFor()
	s.machines = append(s.machines, other)
	for _, c := range m.checks {
		c.add(other)
	}
	switch s.options.World.Replacements {
	case ReplacementsHealthy:
		obj.Status.NodeRef.Name = obj.Name
		other.ready(s, corev1.ConditionTrue, "KubeletReady")
	case ReplacementsSick:
		obj.Status.NodeRef.Name = obj.Name
		other.ready(s, corev1.ConditionUnknown, "NodeStatusUnknown")
	case ReplacementsNodeless:
		// Its Node never appears.
	}
	s.occupied.Note(nil, obj)
	s.lookAt(other)
	return other
}

// successorName returns NAME-new, then NAME-new2, and so on: the real name of a successor is unknown.
func successorName(m *machine) string {
	if m.generation == 0 {
		return m.obj.Name + "-new"
	}
	name := m.obj.Name[:strings.LastIndex(m.obj.Name, "-new")]
	return fmt.Sprintf("%s-new%d", name, m.generation+1)
}

// withoutRequests removes the annotations that people set on a single Machine.
func withoutRequests(annotations map[string]string) map[string]string {
	delete(annotations, clusterv1.RemediateMachineAnnotation)
	delete(annotations, mhcspec.HoldUntilAnnotation)
	return annotations
}
