package lint

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	corev1 "k8s.io/api/core/v1"

	"github.com/sickbay-dev/sickbay/internal/humanize"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

const (
	// monitorGracePeriod is how long a kubelet may be silent before Kubernetes sets its Node to Unknown: the default of
	// node-monitor-grace-period since 1.32. Before, it was 40 s.
	monitorGracePeriod = 50 * time.Second
	// startupGracePeriod is the same for a new Node: the default of node-startup-grace-period.
	startupGracePeriod = time.Minute
	// usualProvisioning is how long a new Machine may take in a cloud. Cluster API's own templates wait that long for it.
	usualProvisioning = 5 * time.Minute
)

// conditions finds conditions that match too soon, or match healthy machines.
func (l *linter) conditions(c *check) {
	rules := mhcspec.RulesOf(&c.mhc)
	if len(rules.NodeConditions)+len(rules.MachineConditions) == 0 && !asksForConditions(c.spec) {
		l.add(c.find(Warning, "spec.checks", "it checks no condition: Sickbay notices only Nodes that never appear or that disappear"))
	}
	for i, rule := range rules.NodeConditions {
		l.condition(c, nodes, i, rule)
		l.kubelet(c, i, rule)
	}
	for i, rule := range rules.MachineConditions {
		l.condition(c, machines, i, rule)
		l.provisioning(c, i, rule)
	}
	l.repeated(c, nodes.path(), rules.NodeConditions)
	l.repeated(c, machines.path(), rules.MachineConditions)
}

// asksForConditions reports whether there are conditions, even invalid ones.
func asksForConditions(spec map[string]any) bool {
	for _, in := range []map[string]any{spec, fields(spec["checks"])} {
		for _, field := range []string{"unhealthyConditions", "unhealthyNodeConditions", "unhealthyMachineConditions"} {
			if list, _ := in[field].([]any); len(list) > 0 {
				return true
			}
		}
	}
	return false
}

// condition finds a condition that nothing has, or that all healthy machines have.
func (l *linter) condition(c *check, of subject, i int, rule mhcspec.ConditionRule) {
	field := fmt.Sprintf("%s[%d]", of.path(), i)
	if !slices.Contains(statuses, rule.Status) {
		message := fmt.Sprintf("%s, which no condition ever is, only True, False or Unknown: it matches nothing", mhcspec.Quoted(rule.Status))
		if meant := meantStatus(rule.Status, of.traits[rule.Type].Healthy); meant != "" {
			message += "; perhaps " + mhcspec.Quoted(meant) + " is meant"
		}
		l.add(c.find(Warning, field+".status", "it is "+message))
	}
	if other := of.other(); other.knows(rule.Type) && !of.knows(rule.Type) {
		l.add(c.find(Warning, field+".type", fmt.Sprintf("%s is a condition of a %s, not of a %s: it matches nothing here; in Cluster API it belongs in %s",
			rule.Type, other.name, of.name, other.field)))
	} else if meant := of.meant(rule.Type); meant != "" {
		l.add(c.find(Warning, field+".type", fmt.Sprintf("%s is not a condition that is known here; perhaps %s is meant", quotedType(rule.Type), meant)))
	}
	if trait, ok := of.traits[rule.Type]; ok && trait.Healthy == rule.Status {
		l.add(c.find(Warning, field+".status", fmt.Sprintf("%s is %s on every healthy %s: all machines are repaired", rule.Type, rule.Status, of.name)))
	}
}

// meantStatus returns the status that was probably meant by one that does not exist; empty if nobody can know.
func meantStatus(written, healthy string) string {
	lower := strings.ToLower(written)
	for _, status := range statuses {
		if humanize.Slip(lower, strings.ToLower(status)) {
			return status
		}
	}
	if strings.HasPrefix(lower, "not") || strings.HasPrefix(lower, "un") {
		return map[string]string{"True": "False", "False": "True"}[healthy]
	}
	return ""
}

// kubelet finds a timeout in which Kubernetes itself has not given up on a kubelet.
func (l *linter) kubelet(c *check, i int, rule mhcspec.ConditionRule) {
	if rule.Type == string(corev1.NodeReady) && rule.Timeout < monitorGracePeriod && slices.Contains(statuses, rule.Status) {
		l.add(c.find(Warning, fmt.Sprintf("%s[%d].timeoutSeconds", nodes.path(), i), fmt.Sprintf("%s is shorter than the %s for which Kubernetes itself waits for a kubelet (%s before 1.32): "+
			"a kubelet that restarts may cost the machine", rule.Timeout, monitorGracePeriod, 40*time.Second)))
	}
}

// provisioning finds a timeout that is shorter than a new Machine may take until it no longer has the condition.
func (l *linter) provisioning(c *check, i int, rule mhcspec.ConditionRule) {
	if !slices.Contains(machines.traits[rule.Type].AtFirst, rule.Status) {
		return
	}
	allowed, by := usualProvisioning, "that this usually takes"
	if given := c.mhc.Spec.Checks.NodeStartupTimeoutSeconds; given != nil && *given > 0 {
		allowed, by = time.Duration(*given)*time.Second, "that its Node may take to appear"
	}
	if rule.Timeout < allowed {
		l.add(c.find(Warning, fmt.Sprintf("%s[%d].timeoutSeconds", machines.path(), i), fmt.Sprintf("every new Machine is %s=%s while it is provisioned: %s is shorter than the %s %s, "+
			"so machines may be repaired again and again before they are ready", rule.Type, rule.Status, humanize.Span(rule.Timeout), humanize.Span(allowed), by)))
	}
}

// repeated finds duplicate conditions, of which only the one with the shorter timeout counts.
func (l *linter) repeated(c *check, field string, rules []mhcspec.ConditionRule) {
	type key struct{ kind, status string }
	first := map[key]int{}
	for i, rule := range rules {
		if j, ok := first[key{rule.Type, rule.Status}]; ok {
			l.add(c.find(Warning, fmt.Sprintf("%s[%d].type", field, i),
				fmt.Sprintf("%s=%s is there twice: %s counts, the shorter of the two timeouts", rule.Type, rule.Status, min(rule.Timeout, rules[j].Timeout))))
			continue
		}
		first[key{rule.Type, rule.Status}] = i
	}
}

func (l *linter) startup(c *check) {
	timeout := mhcspec.RulesOf(&c.mhc).StartupTimeout
	if timeout >= 30*time.Second && timeout < startupGracePeriod {
		l.add(c.find(Warning, fieldStartup, fmt.Sprintf("%s is shorter than the %s for which Kubernetes itself waits for a new Node", timeout, startupGracePeriod)))
	}
}

// quotedType quotes a type with spaces, which nobody would see.
func quotedType(kind string) string {
	if strings.ContainsFunc(kind, unicode.IsSpace) {
		return fmt.Sprintf("%q", kind)
	}
	return kind
}
