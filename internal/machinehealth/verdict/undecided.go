package verdict

import "github.com/sickbay-dev/sickbay/healthcheck"

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
		result.RecheckAt = l.due
		return result, true
	}
	result.Status, result.Deadline = healthcheck.Progressing, l.due
	return result, true
}
