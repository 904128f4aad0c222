package rules

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// InputOf returns what the rules of a plan see of a machine. The Node is nil if there is none, or it could not be read. Checks are
// the MachineHealthCheck's, and found is what it finds, nil without a verdict. Attempts are the record's, empty before there is one.
func InputOf(machine *clusterv1.Machine, node *corev1.Node, checks mhcspec.Rules, found *metav1.Condition, attempts []v1alpha1.RemediationAttempt) Input {
	in := Input{Findings: append(beside(found), matching(machine, node, checks)...), Machine: machineOf(machine)}
	for i := range attempts {
		in.Attempts = append(in.Attempts, Attempt{Step: attempts[i].Step, Result: string(attempts[i].Result)})
	}
	return in
}

func machineOf(machine *clusterv1.Machine) Machine {
	_, controlPlane := machine.Labels[clusterv1.MachineControlPlaneLabel]
	m := Machine{
		Name: machine.Name, Labels: machine.Labels, Annotations: machine.Annotations,
		ControlPlane: controlPlane, FailureDomain: cmp.Or(machine.Status.FailureDomain, machine.Spec.FailureDomain),
	}
	if owner := metav1.GetControllerOfNoCopy(machine); owner != nil {
		m.Owner = Owner{Kind: owner.Kind, Name: owner.Name}
	}
	return m
}

// matching returns the conditions that the checks call unhealthy, in the order of the verdict: those of the Machine, then the Node's.
func matching(machine *clusterv1.Machine, node *corev1.Node, checks mhcspec.Rules) []Finding {
	var conditions []Finding
	for _, c := range machine.Status.Conditions {
		if matches(checks.MachineConditions, c.Type, string(c.Status)) {
			conditions = append(conditions, Finding{SourceMachine, c.Type, string(c.Status), c.Reason, c.Message})
		}
	}
	if node != nil {
		for _, c := range node.Status.Conditions {
			if matches(checks.NodeConditions, string(c.Type), string(c.Status)) {
				conditions = append(conditions, Finding{SourceNode, string(c.Type), string(c.Status), c.Reason, c.Message})
			}
		}
	}
	return conditions
}

func matches(rules []mhcspec.ConditionRule, conditionType, status string) bool {
	return slices.ContainsFunc(rules, func(r mhcspec.ConditionRule) bool { return r.Type == conditionType && r.Status == status })
}

// beside returns the verdict itself if it is about no condition: no other finding says what is wrong then.
func beside(found *metav1.Condition) []Finding {
	if found == nil || found.Status != metav1.ConditionFalse || strings.HasSuffix(found.Reason, ofCondition) {
		return nil
	}
	return []Finding{{SourceMachine, found.Type, string(found.Status), found.Reason, found.Message}}
}

// ofCondition is the suffix of the reasons of verdicts about a condition.
const ofCondition = "Unhealthy"
