package lint

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

const (
	// monitorGracePeriod is how long a kubelet may be silent before Kubernetes sets its Node to Unknown: the default of
	// node-monitor-grace-period since 1.32. Before, it was 40 s.
	monitorGracePeriod = 50 * time.Second
	// startupGracePeriod is the same for a new Node: the default of node-startup-grace-period.
	startupGracePeriod = time.Minute
)

// conditions finds conditions that match too soon, or match healthy machines.
func (l *linter) conditions(c *check) {
	rules := mhcspec.RulesOf(&c.mhc)
	if len(rules.NodeConditions)+len(rules.MachineConditions) == 0 && !asksForConditions(c.obj.Value) {
		l.add(c.find(Warning, "spec.checks", "it checks no condition: Sickbay notices only Nodes that never appear or that disappear"))
	}
	for i, rule := range rules.NodeConditions {
		l.nodeCondition(c, fmt.Sprintf("spec.checks.unhealthyNodeConditions[%d]", i), rule)
	}
	l.repeated(c, "spec.checks.unhealthyNodeConditions", rules.NodeConditions)
	l.repeated(c, "spec.checks.unhealthyMachineConditions", rules.MachineConditions)
}

// asksForConditions reports whether there are conditions, even invalid ones.
func asksForConditions(value map[string]any) bool {
	spec := fields(value["spec"])
	for _, in := range []map[string]any{spec, fields(spec["checks"])} {
		for _, field := range []string{"unhealthyConditions", "unhealthyNodeConditions", "unhealthyMachineConditions"} {
			if list, _ := in[field].([]any); len(list) > 0 {
				return true
			}
		}
	}
	return false
}

// healthyStatus is the status of a healthy Node's conditions.
var healthyStatus = map[string]string{
	string(corev1.NodeReady):              "True",
	string(corev1.NodeMemoryPressure):     "False",
	string(corev1.NodeDiskPressure):       "False",
	string(corev1.NodePIDPressure):        "False",
	string(corev1.NodeNetworkUnavailable): "False",
}

func (l *linter) nodeCondition(c *check, field string, rule mhcspec.ConditionRule) {
	if healthy, ok := healthyStatus[rule.Type]; ok && healthy == rule.Status {
		l.add(c.find(Warning, field+".status", fmt.Sprintf("%s is %s on every healthy Node: all machines are repaired", rule.Type, rule.Status)))
	}
	if rule.Type == string(corev1.NodeReady) && rule.Timeout < monitorGracePeriod {
		l.add(c.find(Warning, field+".timeoutSeconds", fmt.Sprintf("%s is shorter than the %s for which Kubernetes itself waits for a kubelet (%s before 1.32): "+
			"a kubelet that restarts may cost the machine", rule.Timeout, monitorGracePeriod, 40*time.Second)))
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
