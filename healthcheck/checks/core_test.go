package checks_test

import (
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/sickbay-dev/sickbay/healthcheck/checks"
)

func TestJob(t *testing.T) {
	job := func(conditionType batchv1.JobConditionType, status corev1.ConditionStatus) *batchv1.Job {
		return &batchv1.Job{Status: batchv1.JobStatus{Conditions: []batchv1.JobCondition{{Type: conditionType, Status: status, Reason: "BackoffLimitExceeded"}}}}
	}
	judge(t, checks.Job, map[string]row[*batchv1.Job]{
		"not begun":  {&batchv1.Job{}, passes},
		"complete":   {job(batchv1.JobComplete, corev1.ConditionTrue), passes},
		"failed":     {job(batchv1.JobFailed, corev1.ConditionTrue), fails(checks.ReasonFailed, "Condition Failed is True (BackoffLimitExceeded)")},
		"not failed": {job(batchv1.JobFailed, corev1.ConditionFalse), passes},
	})
}

func TestPod(t *testing.T) {
	pod := func(phase corev1.PodPhase, reason, message string) *corev1.Pod {
		return &corev1.Pod{Status: corev1.PodStatus{Phase: phase, Reason: reason, Message: message}}
	}
	judge(t, checks.Pod, map[string]row[*corev1.Pod]{
		"running":   {pod(corev1.PodRunning, "", ""), passes},
		"succeeded": {pod(corev1.PodSucceeded, "", ""), passes},
		"pending":   {pod(corev1.PodPending, "", ""), fails(checks.ReasonPending, "Phase is Pending")},
		"evicted":   {pod(corev1.PodFailed, "Evicted", "The node was low on resource: memory."), fails(checks.ReasonFailed, "Phase is Failed (Evicted): The node was low on resource: memory.")},
		"unknown":   {pod(corev1.PodUnknown, "NodeLost", ""), fails(checks.ReasonPhaseUnknown, "Phase is Unknown (NodeLost)")},
		"new":       {&corev1.Pod{}, fails(checks.ReasonPhaseUnknown, "Phase is empty")},
		"long text": {pod(corev1.PodFailed, "", strings.Repeat("ä", 801)), fails(checks.ReasonFailed, "Phase is Failed: "+strings.Repeat("ä", 800)+"...")},
	})
}

func TestService(t *testing.T) {
	balanced := &corev1.Service{Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer}}
	balanced.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}}
	judge(t, checks.Service, map[string]row[*corev1.Service]{
		"inside":     {&corev1.Service{Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeClusterIP}}, passes},
		"empty":      {&corev1.Service{}, passes},
		"no ingress": {&corev1.Service{Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer}}, fails(checks.ReasonNoIngress, "Load balancer has no ingress")},
		"ingress":    {balanced, passes},
	})
}

func TestNode(t *testing.T) {
	node := func(ready corev1.ConditionStatus, others ...corev1.NodeCondition) *corev1.Node {
		return &corev1.Node{Status: corev1.NodeStatus{Conditions: append(others, corev1.NodeCondition{Type: corev1.NodeReady, Status: ready, Reason: "Told"})}}
	}
	pressed := func(conditionType corev1.NodeConditionType) *corev1.Node {
		return node(corev1.ConditionTrue, corev1.NodeCondition{Type: conditionType, Status: corev1.ConditionTrue})
	}
	judge(t, checks.Node, map[string]row[*corev1.Node]{
		"ready":        {node(corev1.ConditionTrue), passes},
		"no pressure":  {node(corev1.ConditionTrue, corev1.NodeCondition{Type: corev1.NodeDiskPressure, Status: corev1.ConditionFalse}), passes},
		"new":          {&corev1.Node{}, fails("NotReady", "Condition Ready is missing")},
		"not ready":    {node(corev1.ConditionFalse), fails("NotReady", "Condition Ready is False (Told)")},
		"silent":       {node(corev1.ConditionUnknown), fails("NotReady", "Condition Ready is Unknown (Told)")},
		"disk":         {pressed(corev1.NodeDiskPressure), fails("DiskPressure", "Condition DiskPressure is True")},
		"memory":       {pressed(corev1.NodeMemoryPressure), fails("MemoryPressure", "Condition MemoryPressure is True")},
		"processes":    {pressed(corev1.NodePIDPressure), fails("PIDPressure", "Condition PIDPressure is True")},
		"network":      {pressed(corev1.NodeNetworkUnavailable), fails("NetworkUnavailable", "Condition NetworkUnavailable is True")},
		"of no matter": {pressed("KernelDeadlock"), passes},
		"disk unknown": {node(corev1.ConditionTrue, corev1.NodeCondition{Type: corev1.NodeDiskPressure, Status: corev1.ConditionUnknown}), fails("DiskPressure", "Condition DiskPressure is Unknown")},
	})
}

func TestPersistentVolumeClaim(t *testing.T) {
	claim := func(phase corev1.PersistentVolumeClaimPhase) *corev1.PersistentVolumeClaim {
		return &corev1.PersistentVolumeClaim{Status: corev1.PersistentVolumeClaimStatus{Phase: phase}}
	}
	judge(t, checks.PersistentVolumeClaim, map[string]row[*corev1.PersistentVolumeClaim]{
		"bound":   {claim(corev1.ClaimBound), passes},
		"pending": {claim(corev1.ClaimPending), progresses(5*time.Minute, checks.ReasonPending, "Phase is Pending")},
		"new":     {claim(""), progresses(5*time.Minute, checks.ReasonPending, "Phase is empty")},
		"lost":    {claim(corev1.ClaimLost), fails(checks.ReasonLost, "Phase is Lost")},
		"other":   {claim("Odd"), fails(checks.ReasonPhaseUnknown, "Phase is Odd")},
	})
}
