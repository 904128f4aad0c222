package verdict

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// connecting is how long a first connection to a workload cluster may take after a start.
const connecting = time.Minute

func (l look) deleting() (healthcheck.Result, bool) {
	return l.undecided(l.Node.State == NodeGone, ReasonDeleting, "Machine is being deleted")
}

// unreadable keeps a healthy Machine healthy for the grace period: a lost connection says nothing about the Machines behind it.
func (l look) unreadable() (healthcheck.Result, bool) {
	graceEnd := l.Node.LostAt.Add(l.GracePeriod)
	switch {
	case l.Node.State != NodeUnreadable:
		return healthcheck.Result{}, false
	case l.WasHealthy && l.now.Before(graceEnd):
		return healthcheck.Result{Status: healthcheck.True, Reason: ReasonSucceeded, RecheckAt: healthcheck.Earliest(graceEnd, l.due)}, true
	}
	return l.undecided(true, ReasonNodeUnavailable, "Node cannot be read: "+l.Node.Cause)
}

// Premature returns for how long a verdict must not be stored yet; 0 if it may. After a start, workload clusters are not connected yet. A Machine
// that was sick would become Unknown, and then sick once more, and everybody would hear of it twice. Nobody acts on the verdict that stays: acts
// need a live read. A connection that breaks later is known to be broken only near the end of this time.
func (f *Facts) Premature(verdict healthcheck.Result, now time.Time) time.Duration {
	stored := meta.FindStatusCondition(f.Machine.Status.Conditions, ConditionType)
	unavailable := verdict.Reason == ReasonNodeUnavailable || verdict.Reason == ReasonPaused
	if !f.Node.Announced || !unavailable || stored == nil || stored.Status == metav1.ConditionTrue {
		return 0
	}
	return max(0, f.Node.LostAt.Add(connecting).Sub(now))
}

func (l look) provisioning() (healthcheck.Result, bool) {
	return l.undecided(l.waitsFor(look.provisioningTimedOut), ReasonWaitingForProvisioning, "Waiting for Machine to be provisioned")
}

func (l look) starting() (healthcheck.Result, bool) {
	return l.undecided(l.Node.State == NodeNone, ReasonWaitingForNodeRef, "Waiting for Node to be created")
}

func (l look) nodePending() (healthcheck.Result, bool) {
	return l.undecided(l.waitsFor(look.nodeConditions), ReasonNodeConditionsNotYet, "Waiting for unhealthyCondition timeout")
}

func (l look) machinePending() (healthcheck.Result, bool) {
	return l.undecided(l.waitsFor(look.machineConditions), ReasonMachineConditionsNotYet, "Waiting for unhealthyCondition timeout")
}

// waitsFor reports whether a cause is pending. Usually nothing is pending, which is quick to check.
func (l *look) waitsFor(cause func(look) findings) bool {
	return l.pending() && cause(*l).pending()
}

// undecided answers if the condition is met, until the next pending cause is due. The result is Progressing if the Machine will be
// unhealthy then, but not if that finding would be held back.
func (l *look) undecided(is bool, reason, message string) (healthcheck.Result, bool) {
	if !is {
		return healthcheck.Result{}, false
	}
	result := unknown(reason, message)
	if held, _ := l.clusterWait(); held != "" || !l.pending() {
		result.RecheckAt = healthcheck.Earliest(l.due, l.until)
		return result, true
	}
	result.RecheckAt = l.until
	result.Status, result.Deadline = healthcheck.Progressing, l.due
	return result, true
}
