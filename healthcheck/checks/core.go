package checks

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// Job judges whether a Job has failed, by the rule of Gardener: it is False if condition
// Failed is present and not False (ReasonFailed). A Job that has not started is healthy.
func Job(j *batchv1.Job) healthcheck.Result {
	read := func(c batchv1.JobCondition) condition {
		return condition{string(c.Type), string(c.Status), c.Reason, c.Message}
	}
	return judgeOf(j.Status.Conditions, read, notTrue(string(batchv1.JobFailed)))
}

// Pod judges whether a Pod runs or has succeeded, by the rule of Gardener. It ignores
// readiness; package kstatus judges that.
//
// Other phases are False (ReasonPending, ReasonFailed, ReasonPhaseUnknown).
func Pod(p *corev1.Pod) healthcheck.Result {
	phase := condition{"", string(p.Status.Phase), p.Status.Reason, p.Status.Message}
	switch p.Status.Phase {
	case corev1.PodRunning, corev1.PodSucceeded:
		return healthy()
	case corev1.PodPending:
		return unhealthy(ReasonPending, "%s", phase.asPhase())
	case corev1.PodFailed:
		return unhealthy(ReasonFailed, "%s", phase.asPhase())
	default:
		return unhealthy(ReasonPhaseUnknown, "%s", phase.asPhase())
	}
}

// Service judges whether a Service that should be reachable from outside is, by the rule of
// Gardener: one of type LoadBalancer without ingress is False (ReasonNoIngress), all others
// are healthy.
func Service(s *corev1.Service) healthcheck.Result {
	if s.Spec.Type == corev1.ServiceTypeLoadBalancer && len(s.Status.LoadBalancer.Ingress) == 0 {
		return unhealthy(ReasonNoIngress, "Load balancer has no ingress")
	}
	return healthy()
}

// Node judges whether a Node is ready and under no pressure, by the rule of Gardener.
//
// It is False if condition Ready is not True (NotReady), or if DiskPressure,
// MemoryPressure, PIDPressure or NetworkUnavailable is present and not False (the reason is
// the type of the condition).
func Node(n *corev1.Node) healthcheck.Result {
	read := func(c corev1.NodeCondition) condition {
		return condition{string(c.Type), string(c.Status), c.Reason, c.Message}
	}
	return judgeOf(n.Status.Conditions, read, isTrue(string(corev1.NodeReady)),
		notTrue(string(corev1.NodeDiskPressure)), notTrue(string(corev1.NodeMemoryPressure)),
		notTrue(string(corev1.NodePIDPressure)), notTrue(string(corev1.NodeNetworkUnavailable)))
}

// PersistentVolumeClaim judges whether a claim has its volume, as kstatus does.
//
// A claim that is not bound yet is Progressing (ReasonPending, for five minutes). If claims
// wait for the first Pod that uses them, allow more time with Tolerate. A claim that has
// lost its volume is False (ReasonLost).
func PersistentVolumeClaim(p *corev1.PersistentVolumeClaim) healthcheck.Result {
	phase := condition{Status: string(p.Status.Phase)}.asPhase()
	switch p.Status.Phase {
	case corev1.ClaimBound:
		return healthy()
	case corev1.ClaimLost:
		return unhealthy(ReasonLost, "%s", phase)
	case corev1.ClaimPending, "":
		return progressing(boundWithin, ReasonPending, "%s", phase)
	default:
		return unhealthy(ReasonPhaseUnknown, "%s", phase)
	}
}

// conditionsOf reads a list of conditions.
func conditionsOf[C any](list []C, read func(C) condition) []condition {
	conditions := make([]condition, 0, len(list))
	for _, c := range list {
		conditions = append(conditions, read(c))
	}
	return conditions
}

// notFalse and notTrue accept a missing condition; otherwise notFalse requires True, and notTrue False.
func notFalse(conditionType string) demand { return demand{conditionType, "True", true} }
func notTrue(conditionType string) demand  { return demand{conditionType, "False", true} }

// judge is judgeOf a list that is read already.
func judge(conditions []condition, demands ...demand) healthcheck.Result {
	return judgeOf(conditions, asIs, demands...)
}

func find(conditions []condition, conditionType string) (condition, bool) {
	return findOf(conditions, asIs, conditionType)
}

func asIs(c condition) condition { return c }

// asPhase returns everything that a phase with a reason and a message says.
func (c condition) asPhase() string { return c.say("Phase is ") }
