package explore

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
	"github.com/sickbay-dev/sickbay/internal/targets"
)

// inGoodOrder holds that every sick machine is under repair or says what it waits for, and that nothing is left of what has
// ended.
func (w *world) inGoodOrder() {
	mhc := latest[*clusterv1.MachineHealthCheck](w, healthCheckKind, checkName)
	cluster := latest[*clusterv1.Cluster](w, clusterKind, clusterName)
	for _, m := range every[*clusterv1.Machine](w, machineKind) {
		r := w.monitor.openRecord(m.UID)
		w.nothingLeft(m, r)
		if !m.DeletionTimestamp.IsZero() || mhc == nil || len(targets.Paused(mhc, cluster)) > 0 || !targets.IsTarget(m) {
			continue
		}
		verdict := said(m, machinehealth.ConditionType)[0]
		if w.sick(m) && verdict != "False" {
			w.fail(ruleReason, "the Node of %s is sick, and its verdict is %q", m.Name, verdict)
		}
		switch {
		case verdict != "False":
		case r != nil:
			w.goesOn(m, r)
		default:
			w.explained(mhc, m)
		}
	}
}

// nothingLeft holds that nothing of ours stands on a machine without an open record.
func (w *world) nothingLeft(m *clusterv1.Machine, r *v1alpha1.MachineRemediation) {
	if r != nil {
		return
	}
	left := w.monitor.left(m)
	switch {
	case len(left) == 0:
	case w.spec.LeftOver == LeftNothing || w.monitor.hadRecord(m.UID):
		w.fail(ruleUndo, "%q stand on %s, which has no open record", left, m.Name)
	case targets.IsTarget(m) && w.forbidden(m) == "":
		w.fail(ruleTakeOver, "the version before has left %q on %s, and it has no record", left, m.Name)
	}
}

// forbidden says what keeps anybody from doing something to a machine, as it is.
func (w *world) forbidden(m *clusterv1.Machine) string {
	mhc := latest[*clusterv1.MachineHealthCheck](w, healthCheckKind, checkName)
	return forbidden(w.clock.now, mhc, latest[*clusterv1.Cluster](w, clusterKind, clusterName), m)
}

// sick reports whether a machine is sick in truth.
func (w *world) sick(m *clusterv1.Machine) bool {
	node := as[*corev1.Node](w.server.Latest(nodeKind, client.ObjectKey{Name: m.Status.NodeRef.Name}))
	return node != nil && nodeSick(node, w.clock.now)
}

// goesOn holds that the record of a sick machine is under way, or says who has to do something.
func (w *world) goesOn(m *clusterv1.Machine, r *v1alpha1.MachineRemediation) {
	c := progress(r)
	if c.Reason == "" || c.Message == "" {
		w.fail(ruleReason, "%s is sick, and record %s does not say how it goes on", m.Name, r.Name)
	}
	if r.Status.Phase == v1alpha1.RemediationActing && ladder.AtWork(r) == nil && len(w.monitor.standing(m)) == 0 {
		w.fail(ruleReason, "%s is sick, record %s says %q, and nothing is under way", m.Name, r.Name, c.Message)
	}
	if next := r.Status.NextTransitionTime; next != nil && next.Add(sickAfter).Before(w.clock.now) && r.Status.StoppedTime == nil && c.Reason != v1alpha1.ReasonPaused && c.Reason != v1alpha1.ReasonOnHold {
		w.fail(ruleReason, "record %s says that something happens at %s, which is over: %s", r.Name, next, c.Message)
	}
}

// explained holds that the MachineHealthCheck says why nothing is done about a sick machine.
func (w *world) explained(mhc *clusterv1.MachineHealthCheck, m *clusterv1.Machine) {
	for _, c := range mhc.Status.Conditions {
		if c.Type == clusterv1.MachineHealthCheckRemediationAllowedCondition && c.Message != "" && (c.Status == "False" || named(c.Message, m.Name)) {
			return
		}
		if c.Type == "DryRun" && named(c.Message, m.Name) {
			return
		}
	}
	w.fail(ruleReason, "%s is sick and has no record, and its MachineHealthCheck does not say why: %s", m.Name, conditionsOf(mhc))
}

func named(message, name string) bool {
	for i := 0; i+len(name) <= len(message); i++ {
		if message[i:i+len(name)] == name {
			return true
		}
	}
	return false
}

func conditionsOf(mhc *clusterv1.MachineHealthCheck) string {
	var text strings.Builder
	for _, c := range mhc.Status.Conditions {
		fmt.Fprintf(&text, "%s=%s %s %q; ", c.Type, c.Status, c.Reason, c.Message)
	}
	return text.String()
}

// notStarved holds that a machine that cannot be repaired keeps nobody else from being repaired, and that each sick machine
// gets its turn.
func (w *world) notStarved() {
	if !w.spec.unhindered() || w.failure != nil {
		return
	}
	for _, m := range every[*clusterv1.Machine](w, machineKind) {
		if w.sick(m) {
			w.getsItsTurn(m)
		}
	}
}

func (w *world) getsItsTurn(m *clusterv1.Machine) {
	if w.spec.Stubborn > 0 && m.Name != fmt.Sprintf("m%d", w.spec.Stubborn) {
		w.fail(ruleStarved, "%s is still sick", m.Name)
	}
	if w.spec.Restless > 0 && m.Name == fmt.Sprintf("m%d", w.spec.Restless) {
		w.fail(ruleRepaired, "%s is still sick, and only others write to it all the time", m.Name)
	}
	if r := w.monitor.openRecord(m.UID); r == nil || len(r.Status.Attempts) == 0 {
		w.fail(ruleStarved, "nothing was ever tried for %s", m.Name)
	}
}

// notRecovered says which machine is not healthy, or who is under repair still; empty if all is well.
func (w *world) notRecovered() string {
	for _, m := range every[*clusterv1.Machine](w, machineKind) {
		if verdict := said(m, machinehealth.ConditionType); verdict[0] != "True" || !m.DeletionTimestamp.IsZero() {
			return fmt.Sprintf("%s is %v, and its record says %s", m.Name, verdict, w.recordSays(m))
		}
		if left := w.monitor.left(m); len(left) > 0 {
			return fmt.Sprintf("%q stand on %s", left, m.Name)
		}
	}
	for _, r := range every[*v1alpha1.MachineRemediation](w, recordKind) {
		if r.Status.CompletionTime == nil || len(r.Finalizers) > 0 {
			return fmt.Sprintf("record %s is not over: %s %s", r.Name, r.Status.Phase, progress(r).Message)
		}
	}
	return ""
}

func (w *world) recordSays(m *clusterv1.Machine) string {
	r := w.monitor.openRecord(m.UID)
	if r == nil {
		return "nothing"
	}
	if c := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.ConditionProgressing); c != nil {
		return string(r.Status.Phase) + ": " + c.Message
	}
	return "nothing yet"
}
