package checks_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/sickbay-dev/sickbay/healthcheck/checks"
)

// deployment returns a Deployment of generation 2 that is available and rolled out; changes are
// applied to it.
func deployment(changes ...func(*appsv1.Deployment)) *appsv1.Deployment {
	d := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", Generation: 2, Annotations: map[string]string{"deployment.kubernetes.io/revision": "7"}},
		Spec:       appsv1.DeploymentSpec{Replicas: ptr.To[int32](3)},
		Status: appsv1.DeploymentStatus{
			ObservedGeneration: 2, Replicas: 3, UpdatedReplicas: 3, ReadyReplicas: 3, AvailableReplicas: 3,
			Conditions: []appsv1.DeploymentCondition{
				{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue, Reason: "MinimumReplicasAvailable"},
				{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue, Reason: "NewReplicaSetAvailable"},
			},
		},
	}
	for _, change := range changes {
		change(d)
	}
	return d
}

// with sets a condition.
func with(conditionType appsv1.DeploymentConditionType, status corev1.ConditionStatus, reason, message string) func(*appsv1.Deployment) {
	return func(d *appsv1.Deployment) {
		d.Status.Conditions = append([]appsv1.DeploymentCondition{{Type: conditionType, Status: status, Reason: reason, Message: message}}, d.Status.Conditions...)
	}
}

func generation(g int64) func(*appsv1.Deployment) {
	return func(d *appsv1.Deployment) { d.Generation = g }
}

func unavailable(d *appsv1.Deployment) {
	with(appsv1.DeploymentAvailable, corev1.ConditionFalse, "MinimumReplicasUnavailable", "Deployment does not have\nminimum availability.")(d)
}

const unavailableText = "Condition Available is False (MinimumReplicasUnavailable): Deployment does not have minimum availability."

func TestDeployment(t *testing.T) {
	judge(t, checks.Deployment, map[string]row[*appsv1.Deployment]{
		"healthy":        {deployment(), passes},
		"no status":      {&appsv1.Deployment{}, fails("NotAvailable", "Condition Available is missing")},
		"unavailable":    {deployment(unavailable), fails("NotAvailable", unavailableText)},
		"no progress":    {deployment(func(d *appsv1.Deployment) { d.Status.Conditions = d.Status.Conditions[:1] }), passes},
		"past deadline":  {deployment(with(appsv1.DeploymentProgressing, corev1.ConditionFalse, "ProgressDeadlineExceeded", "")), fails("NotProgressing", "Condition Progressing is False (ProgressDeadlineExceeded)")},
		"paused":         {deployment(with(appsv1.DeploymentProgressing, corev1.ConditionUnknown, "DeploymentPaused", "")), fails("NotProgressing", "Condition Progressing is Unknown (DeploymentPaused)")},
		"no quota":       {deployment(with(appsv1.DeploymentReplicaFailure, corev1.ConditionTrue, "FailedCreate", "exceeded quota")), fails("ReplicaFailure", "Condition ReplicaFailure is True (FailedCreate): exceeded quota")},
		"rolling out":    {deployment(func(d *appsv1.Deployment) { d.Status.UpdatedReplicas = 1 }), passes},
		"not observed":   {deployment(generation(3)), notObserved("Observed generation is 2, not 3")},
		"never observed": {&appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Generation: 1}}, notObserved("Observed generation is 0, not 1")},
		// A change of the spec neither makes it healthy nor makes it flap.
		"not observed, unavailable": {deployment(generation(3), unavailable), fails("NotAvailable", unavailableText)},
	})
}

func TestDeploymentRolledOut(t *testing.T) {
	judge(t, checks.DeploymentRolledOut, map[string]row[*appsv1.Deployment]{
		"healthy":       {deployment(), passes},
		"unavailable":   {deployment(unavailable), fails("NotAvailable", unavailableText)},
		"not updated":   {deployment(func(d *appsv1.Deployment) { d.Status.UpdatedReplicas = 1 }), rollsOut("revision 7", "Fewer than 3 replicas are updated")},
		"old are left":  {deployment(func(d *appsv1.Deployment) { d.Status.Replicas = 4 }), rollsOut("revision 7", "Old replicas are left")},
		"not available": {deployment(func(d *appsv1.Deployment) { d.Status.AvailableReplicas = 2 }), rollsOut("revision 7", "Not all updated replicas are available")},
		"not settled":   {deployment(with(appsv1.DeploymentProgressing, corev1.ConditionTrue, "ReplicaSetUpdated", "")), rollsOut("revision 7", "Condition Progressing is True (ReplicaSetUpdated)")},
		"more are left": {deployment(func(d *appsv1.Deployment) {
			d.Status.Replicas, d.Status.UpdatedReplicas, d.Status.AvailableReplicas = 4, 4, 4
		}), rollsOut("revision 7", "More than 3 replicas are left")},
		"no quota":     {deployment(with(appsv1.DeploymentReplicaFailure, corev1.ConditionTrue, "FailedCreate", "exceeded quota")), rollsOut("revision 7", "Condition ReplicaFailure is True (FailedCreate): exceeded quota")},
		"no deadline":  {deployment(func(d *appsv1.Deployment) { d.Status.Conditions = d.Status.Conditions[:1] }), passes},
		"no revision":  {deployment(func(d *appsv1.Deployment) { d.Annotations, d.Status.UpdatedReplicas = nil, 0 }), rollsOut("revision 2", "Fewer than 3 replicas are updated")},
		"not observed": {deployment(generation(3)), notObserved("Observed generation is 2, not 3")},
	})
}

func TestStatefulSet(t *testing.T) {
	set := func(replicas *int32, status appsv1.StatefulSetStatus) *appsv1.StatefulSet {
		return &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Generation: 1}, Spec: appsv1.StatefulSetSpec{Replicas: replicas}, Status: status}
	}
	judge(t, checks.StatefulSet, map[string]row[*appsv1.StatefulSet]{
		"healthy":          {set(ptr.To[int32](2), appsv1.StatefulSetStatus{ObservedGeneration: 1, ReadyReplicas: 2}), passes},
		"too few":          {set(ptr.To[int32](2), appsv1.StatefulSetStatus{ObservedGeneration: 1, ReadyReplicas: 1}), fails(checks.ReasonReplicasNotReady, "Fewer than 2 replicas are ready")},
		"default, ready":   {set(nil, appsv1.StatefulSetStatus{ObservedGeneration: 1, ReadyReplicas: 1}), passes},
		"default, unready": {set(nil, appsv1.StatefulSetStatus{ObservedGeneration: 1}), fails(checks.ReasonReplicasNotReady, "Fewer than 1 replicas are ready")},
		"not observed":     {set(ptr.To[int32](0), appsv1.StatefulSetStatus{}), notObserved("Observed generation is 0, not 1")},
	})
}

func TestStatefulSetRolledOut(t *testing.T) {
	set := func(updated int32, strategy appsv1.StatefulSetUpdateStrategy) *appsv1.StatefulSet {
		return &appsv1.StatefulSet{
			Spec:   appsv1.StatefulSetSpec{Replicas: ptr.To[int32](3), UpdateStrategy: strategy},
			Status: appsv1.StatefulSetStatus{ReadyReplicas: 3, UpdatedReplicas: updated, UpdateRevision: "web-5d4f"},
		}
	}
	stopping := set(3, appsv1.StatefulSetUpdateStrategy{})
	stopping.Status.Replicas = 5
	partition := appsv1.StatefulSetUpdateStrategy{RollingUpdate: &appsv1.RollingUpdateStatefulSetStrategy{Partition: ptr.To[int32](2)}}
	byHand := appsv1.StatefulSetUpdateStrategy{Type: appsv1.OnDeleteStatefulSetStrategyType}
	judge(t, checks.StatefulSetRolledOut, map[string]row[*appsv1.StatefulSet]{
		"healthy":         {set(3, appsv1.StatefulSetUpdateStrategy{}), passes},
		"rolling out":     {set(2, appsv1.StatefulSetUpdateStrategy{}), rollsOut("revision web-5d4f", "Fewer than 3 replicas are updated")},
		"above partition": {set(1, partition), passes},
		"in partition":    {set(0, partition), rollsOut("revision web-5d4f", "Fewer than 1 replicas are updated")},
		"updated by hand": {set(0, byHand), passes},
		"more are left":   {stopping, rollsOut("revision web-5d4f", "More than 3 replicas are left")},
		"not even there":  {&appsv1.StatefulSet{}, rollsOut("revision 0", "Fewer than 1 replicas are ready")},
	})
}

func TestReplicaSet(t *testing.T) {
	set := func(replicas *int32, ready int32) *appsv1.ReplicaSet {
		return &appsv1.ReplicaSet{
			ObjectMeta: metav1.ObjectMeta{Generation: 4}, Spec: appsv1.ReplicaSetSpec{Replicas: replicas},
			Status: appsv1.ReplicaSetStatus{ObservedGeneration: 4, ReadyReplicas: ready},
		}
	}
	outdated := set(ptr.To[int32](1), 1)
	outdated.Generation = 5
	judge(t, checks.ReplicaSet, map[string]row[*appsv1.ReplicaSet]{
		"healthy":      {set(ptr.To[int32](2), 2), passes},
		"scaled down":  {set(ptr.To[int32](0), 0), passes},
		"too few":      {set(ptr.To[int32](2), 1), fails(checks.ReasonReplicasNotReady, "Fewer than 2 replicas are ready")},
		"default":      {set(nil, 0), fails(checks.ReasonReplicasNotReady, "Fewer than 1 replicas are ready")},
		"not observed": {outdated, notObserved("Observed generation is 4, not 5")},
	})
}
