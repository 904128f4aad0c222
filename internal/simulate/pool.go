package simulate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/conditions"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/humanize"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// pool has the machines of one owner, as they were observed. A new one begins as they do.
type pool struct {
	owner    string
	machines []*explain.Machine
	// known is how its machines begin, by the health check that judges them.
	known map[*check]*beginning
}

// beginning are the unhealthy conditions of a new machine, and of its Node.
type beginning struct{ machine, node []begin }

// begin is an unhealthy condition with which each new machine of a pool begins.
type begin struct {
	rule mhcspec.ConditionRule
	// lasts is how long a machine has it; 0 means for ever. measured reports that other machines show how long.
	lasts    time.Duration
	measured bool
}

func (b begin) name() string { return b.rule.Type + "=" + b.rule.Status }

// words says how the machines of a pool begin.
func (b begin) words(owner string) string {
	switch text := fmt.Sprintf("a new machine of %s begins with %s", owner, b.name()); {
	case b.lasts == 0:
		return text + ", as all of its machines have it"
	case b.measured:
		return fmt.Sprintf("%s, for %s as the others did", text, humanize.Span(b.lasts))
	default:
		return fmt.Sprintf("%s, for %s, as no machine shows how long", text, humanize.Span(b.lasts))
	}
}

// begins returns the conditions with which a successor begins and for which its health check may call it sick.
func (p *pool) begins(rules mhcspec.Rules, takes time.Duration) (machine, node []begin) {
	for _, rule := range rules.MachineConditions {
		if p.lasting(rules, rule, onMachine) {
			machine = append(machine, begin{rule: rule})
		} else if lasts, is := p.first(rules, rule); is {
			machine = append(machine, begin{rule, cmp.Or(lasts, takes), lasts > 0})
		}
	}
	for _, rule := range rules.NodeConditions {
		// A Node that is not Ready is what an action heals.
		if rule.Type != string(corev1.NodeReady) && p.lasting(rules, rule, onNode) {
			node = append(node, begin{rule: rule})
		}
	}
	return machine, node
}

// seen is a condition as it was observed.
type seen struct {
	status metav1.ConditionStatus
	// after is how long after the beginning of its object it became so.
	after time.Duration
}

func onMachine(m *explain.Machine, kind string) *seen {
	c := meta.FindStatusCondition(m.Machine.Status.Conditions, kind)
	if c == nil {
		return nil
	}
	return &seen{c.Status, c.LastTransitionTime.Sub(m.Machine.CreationTimestamp.Time)}
}

func onNode(m *explain.Machine, kind string) *seen {
	if m.Health == nil || m.Health.Node.Node == nil {
		return nil
	}
	node := m.Health.Node.Node
	i := slices.IndexFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool { return string(c.Type) == kind })
	if i < 0 {
		return nil
	}
	c := node.Status.Conditions[i]
	return &seen{metav1.ConditionStatus(c.Status), c.LastTransitionTime.Sub(cmp.Or(node.CreationTimestamp, m.Machine.CreationTimestamp).Time)}
}

// lasting reports whether all machines of a pool have had a condition since they started.
func (p *pool) lasting(rules mhcspec.Rules, rule mhcspec.ConditionRule, on func(*explain.Machine, string) *seen) bool {
	running := 0
	for _, m := range p.machines {
		if !m.Machine.Status.NodeRef.IsDefined() {
			continue
		}
		running++
		if s := on(m, rule.Type); s == nil || string(s.status) != rule.Status || !starting(rules, s.after) {
			return false
		}
	}
	return running > 0
}

// first reports whether a new machine begins with a condition that it loses, and for how long the others had it; 0 if none of them shows that.
func (p *pool) first(rules mhcspec.Rules, rule mhcspec.ConditionRule) (lasts time.Duration, is bool) {
	status, shown := p.usual(rule.Type), false
	for _, m := range p.machines {
		s := onMachine(m, rule.Type)
		switch {
		case s == nil:
		case !m.Machine.Status.NodeRef.IsDefined() && starting(rules, s.after) && string(s.status) == rule.Status:
			status = rule.Status
		case string(s.status) != rule.Status && starting(rules, s.after) && (!shown || s.after < lasts):
			lasts, shown = s.after, true
		}
	}
	return lasts, status == rule.Status && (!shown || lasts > 0)
}

// usual returns the status with which a condition begins if no machine of the pool shows another one; empty if nobody knows.
func (p *pool) usual(kind string) string {
	trait := conditions.Machines[kind]
	if len(trait.AtFirst) == 0 || trait.OwnerKind != "" && !strings.HasPrefix(p.owner, trait.OwnerKind+" ") {
		return ""
	}
	return trait.AtFirst[0]
}

// starting reports whether a time after its beginning belongs to the start of a machine. What is older than its object, as after a move to another
// management cluster, shows nothing.
func starting(rules mhcspec.Rules, after time.Duration) bool {
	return after >= 0 && after <= cmp.Or(rules.StartupTimeout, time.Duration(clusterv1.DefaultNodeStartupTimeoutSeconds)*time.Second)
}
