package monitor

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/intake"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/machinehealthcheck"
	"github.com/sickbay-dev/sickbay/internal/repair/remediation"
	"github.com/sickbay-dev/sickbay/sim/explore/apimodel"
	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/rules"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

// recordChanged judges writes to records.
func (m *Monitor) recordChanged(change apimodel.Change) {
	before, after := apimodel.As[*v1alpha1.MachineRemediation](change.Before), apimodel.As[*v1alpha1.MachineRemediation](change.After)
	p := m.w.Writer
	switch {
	case p == nil:
		return
	case before == nil:
		if after.Spec.AskedFor() {
			m.writtenBy(intake.ControllerName, change)
			m.takenIn(after)
			return
		}
		m.writtenBy(machinehealthcheck.ControllerName, change)
		m.recordMade(after)
		if m.seenClosed(p) {
			m.w.Fail(rules.Gate, "%s makes record %s, and the gate has been closed since %s", p.Name, after.Name, m.closedSince.Sub(history.Start))
		}
		return
	case after == nil:
		m.writtenBy(remediation.ControllerName, change)
		return
	}
	if before.Spec.Grant != after.Spec.Grant {
		m.writtenBy(machinehealthcheck.ControllerName, change)
		if after.Spec.Grant != before.Status.ReleasedGrant+1 {
			m.w.Fail(rules.Grant, "record %s is granted %d, and has given back %d", after.Name, after.Spec.Grant, before.Status.ReleasedGrant)
		}
	}
	if !equality.Semantic.DeepEqual(before.Status, after.Status) {
		m.writtenBy(remediation.ControllerName, change)
		m.statusWritten(p, before, after)
	}
	if len(before.Finalizers) > len(after.Finalizers) && after.Status.CompletionTime == nil {
		m.w.Fail(rules.Undo, "record %s loses its finalizer before it has ended", after.Name)
	}
}

// recordMade judges a new record.
func (m *Monitor) recordMade(made *v1alpha1.MachineRemediation) {
	for _, r := range m.records() {
		if r.UID != made.UID && r.Spec.MachineRef.UID == made.Spec.MachineRef.UID && r.Status.CompletionTime == nil && !r.Spec.AskedFor() {
			m.w.Fail(rules.OneRecord, "records %s and %s of machine %s are open", r.Name, made.Name, made.Spec.MachineRef.Name)
		}
	}
	m.remembered(made)
}

// onlyObserved reports whether a status says the same about another generation: a slot may have been granted at the moment of the end.
func onlyObserved(before, after *v1alpha1.MachineRemediationStatus) bool {
	same := after.DeepCopy()
	same.ObservedGeneration = before.ObservedGeneration
	for i := range min(len(same.Conditions), len(before.Conditions)) {
		same.Conditions[i].ObservedGeneration = before.Conditions[i].ObservedGeneration
	}
	return equality.Semantic.DeepEqual(before, same)
}

// statusWritten judges a change of a record's status.
func (m *Monitor) statusWritten(p *history.Process, before, after *v1alpha1.MachineRemediation) {
	b, a := &before.Status, &after.Status
	if a.ReleasedGrant < b.ReleasedGrant || a.ReleasedGrant > after.Spec.Grant {
		m.w.Fail(rules.Grant, "record %s has given back %d of %d, before %d", after.Name, a.ReleasedGrant, after.Spec.Grant, b.ReleasedGrant)
	}
	if b.CompletionTime != nil && !onlyObserved(b, a) {
		m.w.Fail(rules.History, "the status of record %s changes after its end", after.Name)
	}
	if said := ladder.Progress(&after.Status); a.Phase == "" || said.Reason == "" || said.Message == "" {
		m.w.Fail(rules.Reason, "record %s does not say how it goes on: phase %q, %+v", after.Name, a.Phase, said)
	}
	for i := range b.Attempts {
		m.attemptStays(before, after, &b.Attempts[i])
	}
	for i := range a.Attempts {
		m.timedOut(p, before, after, &a.Attempts[i])
	}
	if a.CompletionTime != nil {
		m.endsUnread(after)
		m.ended(p, after)
	}
}

// remembers is how many attempts a record keeps.
const remembers = 64

// attemptStays checks that a finished attempt stays as stored, except for the result of one that seemed to have helped.
func (m *Monitor) attemptStays(before, after *v1alpha1.MachineRemediation, was *v1alpha1.RemediationAttempt) {
	is := ladder.Numbered(after, was.Number)
	if is == nil {
		m.mayForget(before, after, was)
		return
	}
	if was.EndTime == nil || m.settled(after, was, is) {
		return
	}
	kept := was.DeepCopy()
	if was.ObjectRef == nil {
		// What it created may become visible late.
		kept.ObjectRef = is.ObjectRef
	}
	m.corrected(kept, is)
	if was.Result == "" {
		kept.Result, kept.Message, kept.Decision = is.Result, is.Message, is.Decision
	}
	if was.Result == v1alpha1.ResultNotBegun && is.Decision == nil {
		// An approval does not hold for ever.
		kept.Decision = nil
	}
	if !equality.Semantic.DeepEqual(kept, is) {
		m.w.Fail(rules.History, "record %s changes attempt %d after its end: %+v, before %+v", after.Name, was.Number, *is, *was)
	}
}

// mayForget checks that an attempt is forgotten only if there are too many, or if it is counted with a later one.
func (m *Monitor) mayForget(before, after *v1alpha1.MachineRemediation, was *v1alpha1.RemediationAttempt) {
	isJoined := was.Result == v1alpha1.ResultNotBegun && joined(before, after, was)
	if len(after.Status.Attempts) < remembers && !isJoined {
		m.w.Fail(rules.History, "record %s forgets attempt %d", after.Name, was.Number)
	}
}

// corrected takes over times that have become earlier: a clock that had gone ahead, or has stepped back since, stored them, and they were in the
// future.
func (m *Monitor) corrected(kept, is *v1alpha1.RemediationAttempt) {
	if !m.w.Spec.Has(worlds.Skew) && !m.w.Spec.Has(worlds.Clock) {
		return
	}
	for _, one := range []struct {
		was **metav1.Time
		is  *metav1.Time
	}{{&kept.StartTime, is.StartTime}, {&kept.BeganAt, is.BeganAt}, {&kept.EndTime, is.EndTime}} {
		if was := *one.was; was != nil && one.is != nil && one.is.Before(was) {
			*one.was = one.is
		}
	}
}

// joined reports whether an attempt that nobody began is now counted with the one after it, and since when Sickbay has asked. The time of one that
// waits for somebody who keeps the host begins anew.
func joined(before, after *v1alpha1.MachineRemediation, was *v1alpha1.RemediationAttempt) bool {
	return slices.ContainsFunc(after.Status.Attempts, func(a v1alpha1.RemediationAttempt) bool {
		since := a.StartTime.Equal(was.StartTime) || before.Status.StoppedBy == "Host"
		return a.Number > was.Number && a.Step == was.Step && a.Result == v1alpha1.ResultNotBegun && a.Count > max(1, was.Count) && since
	})
}

// settled reports whether it has turned out whether somebody had begun an attempt that was withdrawn, or seemed to be impossible. An attempt that nobody began is opened
// again, or aborted, only if somebody did begin it at about the time of its end.
func (m *Monitor) settled(after *v1alpha1.MachineRemediation, was, is *v1alpha1.RemediationAttempt) bool {
	unsettled := []v1alpha1.AttemptResult{v1alpha1.ResultWithdrawn, v1alpha1.ResultNotBegun, v1alpha1.ResultImpossible}
	if !slices.Contains(unsettled, was.Result) || (!is.Begun() && is.Result == was.Result) {
		return false
	}
	if was.Result == v1alpha1.ResultWithdrawn && is.Result == v1alpha1.ResultNotBegun && !is.Begun() {
		return true
	}
	return is.Begun() && m.turnedOut(after, was, is)
}

// turnedOut reports whether an attempt that had ended has begun after all: the power cycle was aborted, or the machine was deleted.
func (m *Monitor) turnedOut(after *v1alpha1.MachineRemediation, was, is *v1alpha1.RemediationAttempt) bool {
	machine, replaces := m.machineWith(after.Spec.MachineRef.UID), stepNamed(after, is.Step).Action == v1alpha1.ActionReplace
	switch {
	case is.EndTime != nil:
		return is.Result == v1alpha1.ResultAborted || (machine == nil && replaces)
	case !replaces:
		return false
	case machine == nil:
		return true
	case machine.DeletionTimestamp.IsZero():
		return false
	}
	return was.Result == v1alpha1.ResultWithdrawn || markStands(machine) || !machine.DeletionTimestamp.After(was.EndTime.Add(history.Crossing+time.Second))
}

// ended judges the end of a record.
func (m *Monitor) ended(p *history.Process, r *v1alpha1.MachineRemediation) {
	c := ladder.Success(&r.Status)
	if c.Reason == "" {
		m.w.Fail(rules.End, "record %s has ended, and does not say how", r.Name)
		return
	}
	machine := m.machineWith(r.Spec.MachineRef.UID)
	if r.Spec.AskedFor() {
		return
	}
	m.endedAs(p, r, c.Reason, machine)
	if machine == nil || m.w.Former != nil || m.hasAsked(machine) {
		return
	}
	if left := m.left(machine); len(left) > 0 {
		m.w.Fail(rules.Undo, "record %s has ended as %s, and leaves %q on %s", r.Name, c.Reason, left, machine.Name)
	}
}

// endedAs checks that a record ended in the way that it says.
func (m *Monitor) endedAs(p *history.Process, r *v1alpha1.MachineRemediation, reason string, machine *clusterv1.Machine) {
	switch reason {
	case v1alpha1.ReasonRecovered, v1alpha1.ReasonRecoveredUnaided:
		m.endedHealthy(p, r, reason, machine)
		if r.Status.RecoveryTime == nil || r.Status.CompletionTime.Sub(r.Status.RecoveryTime.Time) < r.Spec.Probation() {
			m.w.Fail(rules.Proven, "record %s has ended as %s before the end of its probation", r.Name, reason)
		}
	case v1alpha1.ReasonReplaced, v1alpha1.ReasonReplacementFailed, v1alpha1.ReasonMachineDeleted, v1alpha1.ReasonUnproven:
		if machine != nil && reason != v1alpha1.ReasonUnproven {
			m.w.Fail(rules.Replaced, "record %s has ended as %s, and machine %s is there", r.Name, reason, machine.Name)
		}
	}
}

// endedHealthy checks that a live read showed a healthy machine if a record ends for that reason.
func (m *Monitor) endedHealthy(p *history.Process, r *v1alpha1.MachineRemediation, reason string, machine *clusterv1.Machine) {
	if seen := apimodel.As[*clusterv1.Machine](m.turns[p].all[lookAt{kinds.Machine, r.Spec.MachineRef.Name}].obj); seen != nil {
		machine = seen
	}
	switch {
	case machine != nil && history.Said(machine, verdict.ConditionType)[0] == "False":
		m.w.Fail(rules.End, "record %s has ended as %s, and its machine is sick", r.Name, reason)
	case machine == nil || history.Said(machine, verdict.ConditionType)[0] != "True":
		m.w.Fail(rules.Health, "record %s has ended as %s, and a live look has not shown that", r.Name, reason)
	}
}

// left returns what Sickbay could still withdraw from a machine.
func (m *Monitor) left(machine *clusterv1.Machine) []string {
	if !machine.DeletionTimestamp.IsZero() {
		return nil
	}
	var left []string
	for _, standing := range m.underWay(machine) {
		if standing == "a mark" && !ourMark(machine) {
			continue
		}
		left = append(left, standing)
	}
	return left
}

func (m *Monitor) machineWith(uid types.UID) *clusterv1.Machine {
	for _, machine := range m.machines() {
		if machine.UID == uid {
			return machine
		}
	}
	return nil
}

// timedOut checks that an attempt had the full time of its step.
func (m *Monitor) timedOut(p *history.Process, before, after *v1alpha1.MachineRemediation, is *v1alpha1.RemediationAttempt) {
	was := ladder.Numbered(before, is.Number)
	if is.Result != v1alpha1.ResultTimedOut || is.EndTime == nil || is.StartTime == nil || was == nil || was.EndTime != nil {
		return
	}
	if !is.Begun() {
		m.w.Fail(rules.Clock, "attempt %d of record %s has timed out, and nobody had begun it", is.Number, after.Name)
		return
	}
	stopped := m.stoppedFor(p, after, is.Number)
	if after.Spec.OnTheirWord() {
		// What has begun on somebody's word goes on under a pause, and so does its clock.
		stopped = 0
	}
	for _, step := range after.Spec.Steps {
		// Allow for a clock that has stepped back a little, and for the clocks of two leaders.
		tolerance := 30 * time.Second
		if m.w.Spec.Has(worlds.Skew) {
			tolerance += history.MostAhead
		}
		if had := is.EndTime.Sub(is.BeganAt.Time) - stopped; step.Name == is.Step && had < step.Timeout()-tolerance {
			m.w.Fail(rules.Clock, "attempt %d of record %s had %s of %s, and was stopped for %s", is.Number, after.Name, had, step.Timeout(), stopped)
		}
	}
}
