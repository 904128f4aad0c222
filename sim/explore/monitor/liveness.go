package monitor

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/sim/explore/apimodel"
	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/rules"
)

// inGoodOrder checks that every sick machine is under repair or says what it waits for, and that nothing is left of what
// has ended.
func (m *Monitor) inGoodOrder() {
	cluster := history.Latest[*clusterv1.Cluster](m.w, kinds.Cluster, kinds.ClusterName)
	all := history.Every[*clusterv1.MachineHealthCheck](m.w, kinds.HealthCheck)
	judging := slices.DeleteFunc(slices.Clone(all), func(mhc *clusterv1.MachineHealthCheck) bool { return len(mhcspec.Paused(mhc, cluster)) > 0 })
	for _, machine := range m.machines() {
		r := m.openRecord(machine.UID)
		m.nothingLeft(machine, r)
		if !machine.DeletionTimestamp.IsZero() || len(judging) == 0 || !mhcspec.IsTarget(machine) {
			continue
		}
		stored := history.Said(machine, verdict.ConditionType)[0]
		if m.sick(machine) && stored != "False" {
			m.w.Fail(rules.Reason, "the Node of %s is sick, and its verdict is %q", machine.Name, stored)
		}
		if stored == "True" && len(judging) < len(all) {
			m.w.Fail(rules.Part, "%s is called healthy, and one of its MachineHealthChecks is paused", machine.Name)
		}
		switch {
		case stored != "False":
		case r != nil:
			m.goesOn(machine, r)
		default:
			m.explained(all, machine)
		}
	}
}

// nothingLeft checks that a machine without an open record has nothing of Sickbay's.
func (m *Monitor) nothingLeft(machine *clusterv1.Machine, r *v1alpha1.MachineRemediation) {
	if r != nil {
		return
	}
	if left := m.left(machine); len(left) > 0 {
		m.w.Fail(rules.Undo, "%q stand on %s, which has no open record", left, machine.Name)
	}
}

// sick reports whether a machine is really sick.
func (m *Monitor) sick(machine *clusterv1.Machine) bool {
	node := apimodel.As[*corev1.Node](m.w.Server.Latest(kinds.Node, client.ObjectKey{Name: machine.Status.NodeRef.Name}))
	return node != nil && nodeSick(node, m.w.Now())
}

// goesOn checks that the record of a sick machine is in progress, or says who must act.
func (m *Monitor) goesOn(machine *clusterv1.Machine, r *v1alpha1.MachineRemediation) {
	c := ladder.Progress(&r.Status)
	if c.Reason == "" || c.Message == "" {
		m.w.Fail(rules.Reason, "%s is sick, and record %s does not say how it goes on", machine.Name, r.Name)
	}
	if r.Status.Phase == v1alpha1.RemediationActing && ladder.AtWork(r) == nil && len(m.underWay(machine)) == 0 {
		m.w.Fail(rules.Reason, "%s is sick, record %s says %q, and nothing is under way", machine.Name, r.Name, c.Message)
	}
	if next := r.Status.NextTransitionTime; next != nil && next.Add(history.SickAfter).Before(m.w.Now()) && r.Status.StoppedTime == nil && c.Reason != v1alpha1.ReasonPaused && c.Reason != v1alpha1.ReasonOnHold {
		m.w.Fail(rules.Reason, "record %s says that something happens at %s, which is over: %s", r.Name, next, c.Message)
	}
}

// explained checks that a MachineHealthCheck says why nothing is done about a sick machine.
func (m *Monitor) explained(all []*clusterv1.MachineHealthCheck, machine *clusterv1.Machine) {
	says := func(c metav1.Condition) bool {
		names := strings.Contains(c.Message, machine.Name)
		return c.Type == "DryRun" && names || c.Type == clusterv1.MachineHealthCheckRemediationAllowedCondition && c.Message != "" && (c.Status == "False" || names)
	}
	for _, mhc := range all {
		if slices.ContainsFunc(mhc.Status.Conditions, says) {
			return
		}
	}
	m.w.Fail(rules.Reason, "%s is sick and has no record, and its MachineHealthCheck does not say why: %s", machine.Name, conditionsOf(all[0]))
}

func conditionsOf(mhc *clusterv1.MachineHealthCheck) string {
	var text strings.Builder
	for _, c := range mhc.Status.Conditions {
		fmt.Fprintf(&text, "%s=%s %s %q; ", c.Type, c.Status, c.Reason, c.Message)
	}
	return text.String()
}

// notStarved checks that a machine that cannot be repaired does not block others, and that each sick machine gets its turn.
func (m *Monitor) notStarved() {
	if !m.w.Spec.Unhindered() || m.w.Failure != nil {
		return
	}
	for _, machine := range m.machines() {
		if m.sick(machine) {
			m.getsItsTurn(machine)
		}
	}
}

func (m *Monitor) getsItsTurn(machine *clusterv1.Machine) {
	if m.w.Spec.Stubborn > 0 && machine.Name != fmt.Sprintf("m%d", m.w.Spec.Stubborn) {
		m.w.Fail(rules.Starved, "%s is still sick", machine.Name)
	}
	if m.w.Spec.Restless > 0 && machine.Name == fmt.Sprintf("m%d", m.w.Spec.Restless) {
		m.w.Fail(rules.Repaired, "%s is still sick, and only others write to it all the time", machine.Name)
	}
	if r := m.openRecord(machine.UID); r == nil || len(r.Status.Attempts) == 0 {
		m.w.Fail(rules.Starved, "nothing was ever tried for %s", machine.Name)
	}
}

// notRecovered returns which machine is not healthy or still under repair; empty if all is well.
func (m *Monitor) notRecovered() string {
	for _, machine := range m.machines() {
		if stored := history.Said(machine, verdict.ConditionType); stored[0] != "True" || !machine.DeletionTimestamp.IsZero() {
			return fmt.Sprintf("%s is %v, and its record says %s", machine.Name, stored, m.recordSays(machine))
		}
		if left := m.left(machine); len(left) > 0 {
			return fmt.Sprintf("%q stand on %s", left, machine.Name)
		}
	}
	if host := m.notLetGo(); host != "" {
		return host + " is kept off"
	}
	if node := m.notPutBack(); node != "" {
		return node + " lacks what it had"
	}
	for _, r := range m.records() {
		if r.Status.CompletionTime == nil || len(r.Finalizers) > 0 {
			return fmt.Sprintf("record %s is not over: %s %s", r.Name, r.Status.Phase, ladder.Progress(&r.Status).Message)
		}
	}
	return ""
}

func (m *Monitor) recordSays(machine *clusterv1.Machine) string {
	r := m.openRecord(machine.UID)
	if r == nil {
		return "nothing"
	}
	if c := ladder.Progress(&r.Status); c.Reason != "" {
		return string(r.Status.Phase) + ": " + c.Message
	}
	return "nothing yet"
}
