package simulate

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/explain"
)

// joinPool adds an observed machine to the pool of its owner, and what is known about that.
func (s *Scene) joinPool(m *explain.Machine) {
	s.occupied.Note(nil, m.Machine)
	ref := metav1.GetControllerOfNoCopy(m.Machine)
	if ref == nil {
		return
	}
	if s.pools[ref.UID] == nil {
		s.pools[ref.UID] = &pool{owner: ref.Kind + " " + ref.Name}
	}
	s.pools[ref.UID].machines = append(s.pools[ref.UID].machines, m)
	if m.Owner.Controller != nil && s.owners[ref.UID].Owner == nil {
		s.owners[ref.UID] = m.Owner
	}
}

// beginningOf returns how a successor of a machine begins, and who makes it.
func (s *Scene) beginningOf(m *machine) (*beginning, string) {
	p := s.poolOf(m)
	if p == nil {
		return &beginning{}, ""
	}
	if p.known[m.check] == nil {
		if p.known == nil {
			p.known = map[*check]*beginning{}
		}
		b := &beginning{}
		b.machine, b.node = p.begins(m.check.rulesOfHealth, s.options.RepairTakes)
		p.known[m.check] = b
	}
	return p.known[m.check], p.owner
}

// poolOf returns the pool of a machine; nil if nobody owns it.
func (s *Scene) poolOf(m *machine) *pool {
	if ref := metav1.GetControllerOfNoCopy(m.obj); ref != nil {
		return s.pools[ref.UID]
	}
	return nil
}

// startAs has a successor begin as the machines of its pool do.
func (s *Scene) startAs(m *machine) {
	begins, owner := s.beginningOf(m)
	for _, b := range begins.machine {
		s.assumed[b.words(owner)] = true
		m.begins = append(m.begins, b.name())
		m.obj.Status.Conditions = append(m.obj.Status.Conditions, metav1.Condition{
			Type: b.rule.Type, Status: metav1.ConditionStatus(b.rule.Status), Reason: "Starting", LastTransitionTime: s.time(),
		})
		if b.lasts > 0 {
			s.agenda.add(s.now.Add(b.lasts), func() { s.started(m, b.rule.Type) })
		}
	}
}

// started takes a condition off a machine with which it began.
func (s *Scene) started(m *machine, kind string) {
	if m.gone {
		return
	}
	m.change(s, func(obj *clusterv1.Machine) {
		obj.Status.Conditions = slices.DeleteFunc(obj.Status.Conditions, func(c metav1.Condition) bool { return c.Type == kind })
	})
	s.lookAt(m)
}

// beginOnNode gives a Node that is Ready anew the unhealthy conditions that all Nodes of its pool have had from the start.
func (s *Scene) beginOnNode(m *machine, node *corev1.Node) {
	begins, owner := s.beginningOf(m)
	for _, b := range begins.node {
		s.assumed[b.words(owner)] = true
		node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{
			Type: corev1.NodeConditionType(b.rule.Type), Status: corev1.ConditionStatus(b.rule.Status), LastTransitionTime: s.time(),
		})
	}
}
