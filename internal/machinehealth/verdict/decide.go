package verdict

import (
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// steps are asked in this order; the first that answers decides.
var steps = []func(look) (healthcheck.Result, bool){
	// A. Remediation was asked for.
	look.askedFor,
	// B. The Machine is unhealthy, or would be if its Cluster were up.
	look.heldBack,
	look.unhealthy,
	// C. It cannot be decided yet.
	look.deleting,
	look.unreadable,
	look.provisioning,
	look.starting,
	look.nodePending,
	look.machinePending,
	// D. It is healthy, if none of them has answered.
}

// causes are what can make a Machine unhealthy in step B, in the order in which a verdict names them.
var causes = []func(look) findings{
	look.failed,
	look.provisioningTimedOut,
	look.hostError,
	look.startupTimedOut,
	look.nodeMissing,
	look.machineConditions,
	look.nodeConditions,
}

// look is one look at a Machine: what is known of it, and what was found.
type look struct {
	Facts
	findings

	now time.Time
}

// Decide gives the verdict on a Machine. The table with every row is in docs/concepts.md.
func Decide(f Facts, now time.Time) healthcheck.Result {
	l := look{Facts: f, now: now}
	for _, cause := range causes {
		l.add(cause(l))
	}
	for _, step := range steps {
		if result, ok := step(l); ok {
			return result
		}
	}
	// What is still pending is an error of the host.
	return healthcheck.Result{Status: healthcheck.True, Reason: ReasonSucceeded, RecheckAt: l.due}
}

func (l look) askedFor() (healthcheck.Result, bool) {
	_, asked := l.Machine.Annotations[clusterv1.RemediateMachineAnnotation]
	return healthcheck.Result{Status: healthcheck.False, Reason: ReasonRemediateAnnotation, Message: "Marked for remediation via remediate-machine annotation"}, asked
}

// heldBack answers for a Machine with findings whose Cluster is not up yet: it is not the Machine's fault.
func (l look) heldBack() (healthcheck.Result, bool) {
	reason, message := l.gate()
	return unknown(reason, message), reason != "" && len(l.found) > 0
}

// gate says for what of its Cluster a Machine waits; empty if that is up.
func (f *Facts) gate() (reason, message string) {
	conditions := f.Cluster.Status.Conditions
	switch {
	case !meta.IsStatusConditionTrue(conditions, clusterv1.ClusterInfrastructureReadyCondition):
		return ReasonWaitingForInfrastructure, "Waiting for the cluster infrastructure to be ready"
	case !meta.IsStatusConditionTrue(conditions, clusterv1.ClusterControlPlaneInitializedCondition) && !isControlPlane(f.Machine):
		return ReasonWaitingForControlPlane, "Waiting for the control plane to be initialized"
	}
	return "", ""
}

// unhealthy joins the findings. The reason is that of the first, the deadline the moment since which the Machine has counted as unhealthy.
func (l look) unhealthy() (healthcheck.Result, bool) {
	if len(l.found) == 0 {
		return healthcheck.Result{}, false
	}
	result := healthcheck.Result{Status: healthcheck.False, Reason: l.found[0].reason, RecheckAt: l.due}
	messages := make([]string, len(l.found))
	for i, one := range l.found {
		messages[i] = one.message
		result.Deadline = healthcheck.Earliest(result.Deadline, one.since)
	}
	if !result.Deadline.IsZero() {
		result.Deadline = later(result.Deadline, l.heldBackUntil())
	}
	result.Message = strings.Join(messages, "; ")
	return result, true
}

func unknown(reason, message string) healthcheck.Result {
	return healthcheck.Result{Status: healthcheck.Unknown, Reason: reason, Message: message}
}

func isControlPlane(machine *clusterv1.Machine) bool {
	_, ok := machine.Labels[clusterv1.MachineControlPlaneLabel]
	return ok
}
