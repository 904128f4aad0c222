package verdict

import (
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict/signals"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// stages are in order; the first that has an answer decides.
var stages = []func(look) (healthcheck.Result, bool){
	// A. Remediation was asked for.
	look.askedFor,
	// B. The Machine is unhealthy, or would be if its Cluster were up.
	look.clusterNotUp,
	look.unhealthy,
	// C. It cannot be decided yet.
	look.deleting,
	look.unreadable,
	look.provisioning,
	look.starting,
	look.distrusted,
	look.nodePending,
	look.machinePending,
	// D. It is healthy, if no stage has an answer.
}

// causes are what can make a Machine unhealthy in stage B, in the order in which a verdict lists them.
var causes = []func(look) findings{
	look.failed,
	look.provisioningTimedOut,
	look.hostError,
	look.startupTimedOut,
	look.nodeMissing,
	look.machineConditions,
	look.nodeConditions,
}

// look is one judgement of a Machine: what is known of it, and what was found.
type look struct {
	Facts
	findings

	now time.Time
	// memory is what is remembered of the conditions of the Node.
	memory signals.Memory
}

// look begins a judgement.
func (f Facts) look(now time.Time) look {
	l := look{Facts: f, now: now, memory: f.remembered(f.Rules.NodeConditions, now)}
	l.Rules.ResumedAt = past(l.Rules.ResumedAt, now)
	return l
}

// Decide gives the verdict on a Machine. The table with every row is in docs/concepts.md. If several MachineHealthChecks select it, each judges it by
// its own rules: it is sick if any finds it so, and healthy only if all do.
func Decide(f Facts, now time.Time) healthcheck.Result {
	if len(f.More) == 0 {
		return decide(f, now)
	}
	parts := []healthcheck.Result{f.part(f.Rules, now)}
	for _, rules := range f.More {
		parts = append(parts, f.part(rules, now))
	}
	return healthcheck.Merge(now, parts...)
}

// part is what one of several MachineHealthChecks says. One that is paused says nothing, and so proves nothing.
func (f Facts) part(rules mhcspec.Rules, now time.Time) healthcheck.Result {
	if rules.Stopped != "" {
		return unknown(ReasonPaused, rules.Stopped)
	}
	return decide(f.By(rules), now)
}

// decide gives the verdict by one MachineHealthCheck. It changes by itself once it believes when the last pause ended.
func decide(f Facts, now time.Time) healthcheck.Result {
	l := f.look(now)
	result := l.judge()
	if at := f.Rules.ResumedAt; !at.Equal(l.Rules.ResumedAt) {
		result.RecheckAt = healthcheck.Earliest(result.RecheckAt, at.Add(-apart))
	}
	return result
}

func (l look) judge() healthcheck.Result {
	for _, cause := range causes {
		l.add(cause(l))
	}
	for _, stage := range stages {
		if result, ok := stage(l); ok {
			return result
		}
	}
	// Only an error of the host can still be pending.
	return healthcheck.Result{Status: healthcheck.True, Reason: ReasonSucceeded, RecheckAt: l.due}
}

func (l look) askedFor() (healthcheck.Result, bool) {
	_, asked := l.Machine.Annotations[clusterv1.RemediateMachineAnnotation]
	return healthcheck.Result{Status: healthcheck.False, Reason: ReasonRemediateAnnotation, Message: "Marked for remediation via remediate-machine annotation"}, asked
}

// clusterNotUp answers for a Machine that has findings, but whose Cluster is not up yet: the findings are not the Machine's fault.
func (l look) clusterNotUp() (healthcheck.Result, bool) {
	reason, message := l.clusterWait()
	result := unknown(reason, message)
	result.RecheckAt = l.until
	return result, reason != "" && len(l.found) > 0
}

// clusterWait says which part of its Cluster a Machine waits for; empty if the Cluster is up.
func (f *Facts) clusterWait() (reason, message string) {
	conditions := f.Cluster.Status.Conditions
	switch {
	case !meta.IsStatusConditionTrue(conditions, clusterv1.ClusterInfrastructureReadyCondition):
		return ReasonWaitingForInfrastructure, "Waiting for the cluster infrastructure to be ready"
	case !meta.IsStatusConditionTrue(conditions, clusterv1.ClusterControlPlaneInitializedCondition) && !IsControlPlane(f.Machine):
		return ReasonWaitingForControlPlane, "Waiting for the control plane to be initialized"
	}
	return "", ""
}

// unhealthy joins the findings. The first one gives the reason; the deadline is when the Machine began to count as unhealthy.
func (l look) unhealthy() (healthcheck.Result, bool) {
	if len(l.found) == 0 {
		return healthcheck.Result{}, false
	}
	result := healthcheck.Result{Status: healthcheck.False, Reason: l.found[0].reason, RecheckAt: healthcheck.Earliest(l.due, l.until)}
	messages := make([]string, len(l.found))
	for i, one := range l.found {
		messages[i] = one.message
		result.Deadline = healthcheck.Earliest(result.Deadline, one.since)
	}
	if !result.Deadline.IsZero() {
		result.Deadline = healthcheck.Latest(result.Deadline, l.clusterUpSince())
	}
	result.Message = strings.Join(messages, "; ")
	return result, true
}

func unknown(reason, message string) healthcheck.Result {
	return healthcheck.Result{Status: healthcheck.Unknown, Reason: reason, Message: message}
}

// IsControlPlane reports whether a Machine is part of a control plane.
func IsControlPlane(machine *clusterv1.Machine) bool {
	_, ok := machine.Labels[clusterv1.MachineControlPlaneLabel]
	return ok
}
