package machinehealthcheck

import (
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/repair/admission"
)

// sameStatus reports whether the status of mhc is as desired, regardless of the order of conditions and of those that others write.
func sameStatus(mhc *clusterv1.MachineHealthCheck, desired clusterv1.MachineHealthCheckStatus) bool {
	stored, n := mhc.Status, 0
	for _, c := range stored.Conditions {
		if admission.Ours(mhc, c.Type) {
			n++
		}
	}
	if n != len(desired.Conditions) {
		return false
	}
	for i := range desired.Conditions {
		c := meta.FindStatusCondition(stored.Conditions, desired.Conditions[i].Type)
		if c == nil || !sameCondition(*c, desired.Conditions[i]) {
			return false
		}
	}
	stored.Conditions, desired.Conditions = nil, nil
	stored.Deprecated, desired.Deprecated = nil, nil
	return equality.Semantic.DeepEqual(stored, desired)
}

func sameCondition(a, b metav1.Condition) bool {
	return a.Status == b.Status && a.Reason == b.Reason && a.Message == b.Message && a.ObservedGeneration == b.ObservedGeneration
}
