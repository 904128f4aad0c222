package monitor

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/rules"
)

const (
	// withdrawnBy is how long a running manager may take to withdraw something: an owner that says that it deletes the machine gets a minute.
	withdrawnBy = 2 * time.Minute
	// unreadBy is how long it may take if what was asked for cannot be read.
	unreadBy = time.Hour + withdrawnBy
	// slotBy is how long a slot may be kept for what nobody begins.
	slotBy = time.Hour + 10*time.Minute
)

// notPast checks that each earlier step of the plan was begun, or was impossible, or that a person went past it.
func (m *Monitor) notPast(r *v1alpha1.MachineRemediation, what string) {
	retried := func(d *v1alpha1.RemediationDecision) bool { return d != nil && d.Answer == v1alpha1.AnswerRetry }
	if retried(r.Spec.Decision) || slices.ContainsFunc(r.Status.Attempts, func(a v1alpha1.RemediationAttempt) bool { return retried(a.Decision) }) {
		return
	}
	at := ladder.IndexOf(r.Spec.Steps, stepOf(r).Name)
	for i := startsAt(r); i < at; i++ {
		if step := r.Spec.Steps[i].Name; !m.passed(r, step) {
			m.w.Fail(rules.Escalated, "%s by step %s, and nobody has begun step %s of record %s", what, stepOf(r).Name, step, r.Name)
		}
	}
}

// passed reports whether a plan may go on after a step.
func (m *Monitor) passed(r *v1alpha1.MachineRemediation, step string) bool {
	return slices.ContainsFunc(r.Status.Attempts, func(a v1alpha1.RemediationAttempt) bool {
		return a.Step == step && (a.Begun() || a.Result == v1alpha1.ResultImpossible || m.lost[a.OperationID])
	})
}

// nothingStands checks, in a world at rest, that nothing stands for longer than it may.
func (m *Monitor) nothingStands() {
	if !m.w.Quiet {
		return
	}
	before := m.standing
	m.standing = map[string]time.Time{}
	note := func(rule string, uid types.UID, most time.Duration, format string, args ...any) {
		key := fmt.Sprintf("%s %s", uid, rule)
		since, ok := before[key]
		if !ok {
			since = m.w.Now()
		}
		m.standing[key] = since
		if had := m.w.Now().Sub(since); had > most {
			m.w.Fail(rule, "%s, for %s", fmt.Sprintf(format, args...), had)
		}
	}
	withdrawn := withdrawnBy
	if m.w.Forbidden() {
		withdrawn = unreadBy
	}
	cluster := history.Latest[*clusterv1.Cluster](m.w, kinds.Cluster, kinds.ClusterName)
	for _, machine := range m.machines() {
		asked := m.unbegun(machine)
		if asked == "" || m.isStubborn(machine) {
			continue
		}
		mhc := history.Latest[*clusterv1.MachineHealthCheck](m.w, kinds.HealthCheck, kinds.CheckName)
		if r := m.openRecord(machine.UID); r != nil {
			mhc = m.healthCheckOf(r)
		}
		if why := forbidden(m.w.Now(), mhc, cluster, machine); why != "" {
			note(rules.Paused, machine.UID, withdrawn, "%s stands on %s, although %s", asked, machine.Name, why)
		}
		if history.Said(machine, verdict.ConditionType)[0] == "True" {
			note(rules.Recovered, machine.UID, withdrawn, "%s stands on %s, which is healthy", asked, machine.Name)
		}
	}
	if host := m.notLetGo(); host != "" {
		note(rules.LetGo, types.UID(host), withdrawn, "host %s is kept off by what has ended", host)
	}
	m.recordsStand(note, withdrawn)
	m.unanswered(note, withdrawn)
}

// noting notes that something stands, for a rule and an object.
type noting func(rule string, uid types.UID, most time.Duration, format string, args ...any)

// recordsStand checks what open records wait for.
func (m *Monitor) recordsStand(note noting, withdrawn time.Duration) {
	for _, r := range m.records() {
		machine := m.machineWith(r.Spec.MachineRef.UID)
		if r.Status.CompletionTime != nil || m.isStubborn(machine) {
			continue
		}
		if why := m.overdue(r, machine); why != "" {
			note(rules.Effect, r.UID, max(withdrawn, m.finishes(r)), "record %s is %s: %s, although %s", r.Name, r.Status.Phase, ladder.Progress(&r.Status).Message, why)
		}
		if m.w.Spec.Slots > 0 && keepsIdleSlot(r) && (machine == nil || machine.DeletionTimestamp.IsZero()) {
			note(rules.Kept, types.UID(fmt.Sprintf("%s/%d", r.UID, r.Spec.Grant)), slotBy, "record %s has a slot, and nobody has begun anything", r.Name)
		}
	}
}

// keepsIdleSlot reports whether a record has a slot for what nobody has begun. What somebody asked for needs none.
func keepsIdleSlot(r *v1alpha1.MachineRemediation) bool {
	attempt := ladder.AtWork(r)
	begun := ladder.HasBegun(r) || (attempt != nil && attempt.Begun())
	return ladder.HasSlot(r) && !r.Spec.AskedFor() && !begun
}

// finishes returns how long it may take until a power cycle that has begun for a record is over: the host is released, and its Node comes back.
func (m *Monitor) finishes(r *v1alpha1.MachineRemediation) time.Duration {
	for _, reboot := range m.reboots() {
		if by := reboot.Spec.RequestedBy; by.ForRecord() && by.UID == r.UID && reboot.Status.BeganAt != nil {
			return reboot.Spec.LongestCycle() + reboot.Spec.NodeTimeout()
		}
	}
	return 0
}

// unbegun returns what Sickbay has asked for about a machine and nobody has begun; empty if there is nothing.
func (m *Monitor) unbegun(machine *clusterv1.Machine) string {
	if !machine.DeletionTimestamp.IsZero() {
		return ""
	}
	if r := m.openRecord(machine.UID); markStands(machine) && (ourMark(machine) || (r != nil && ladder.AtWork(r) != nil && stepOf(r).Action == v1alpha1.ActionReplace)) {
		return "a mark"
	}
	for _, reboot := range m.reboots() {
		if reboot.Status.BeganAt == nil && m.requested(reboot, machine) && !m.isAsked(reboot) {
			return "RebootRemediation " + reboot.Name
		}
	}
	return ""
}

// overdue says what a person has decided about an open record; empty if nobody has.
func (m *Monitor) overdue(r *v1alpha1.MachineRemediation, machine *clusterv1.Machine) string {
	switch d := ladder.DecisionAbout(r); {
	case !r.DeletionTimestamp.IsZero():
		return "a person has deleted it"
	case machine != nil && !r.Spec.AskedFor() && mhcspec.HasAnnotation(machine, clusterv1.MachineSkipRemediationAnnotation):
		return "a person has said that its machine is not to be repaired"
	case d != nil && d.Answer == v1alpha1.AnswerCancel && r.Status.Phase != v1alpha1.RemediationHeld:
		return "a person has cancelled it"
	}
	return ""
}

// isStubborn reports whether the API server refuses all writes on a machine.
func (m *Monitor) isStubborn(machine *clusterv1.Machine) bool {
	return machine != nil && machine.Name == fmt.Sprintf("m%d", m.w.Spec.Stubborn)
}
