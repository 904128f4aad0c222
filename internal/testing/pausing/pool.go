package pausing

import (
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Workers is the workers' pool with that many machines, some of which are updated from the configuration "old" to "new".
func Workers(machines, updated int32, updating corev1.ConditionStatus) *mcfgv1.MachineConfigPool {
	pool := &mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: "worker"}}
	pool.Spec.NodeSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"node-role.kubernetes.io/worker": ""}}
	pool.Spec.Configuration.Name, pool.Status.Configuration.Name = "new", "old"
	pool.Status.MachineCount, pool.Status.UpdatedMachineCount = machines, updated
	pool.Spec.Paused = updated < machines && updating == corev1.ConditionFalse // the machine config operator reports this about a paused pool
	SayOfPool(pool, mcfgv1.MachineConfigPoolUpdating, updating, "")
	return pool
}

// SayOfPool sets a condition of a pool.
func SayOfPool(pool *mcfgv1.MachineConfigPool, kind mcfgv1.MachineConfigPoolConditionType, status corev1.ConditionStatus, message string) {
	for i, c := range pool.Status.Conditions {
		if c.Type == kind {
			pool.Status.Conditions[i].Status, pool.Status.Conditions[i].Message = status, message
			return
		}
	}
	pool.Status.Conditions = append(pool.Status.Conditions, mcfgv1.MachineConfigPoolCondition{
		Type: kind, Status: status, Message: message, LastTransitionTime: metav1.NewTime(Noon),
	})
}
