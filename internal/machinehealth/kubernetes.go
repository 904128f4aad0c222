package machinehealth

import (
	"strings"
	"time"
	"unicode"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

func isTrue(conditions []metav1.Condition, conditionType string) bool {
	return meta.IsStatusConditionTrue(conditions, conditionType)
}

// trueSince returns since when a condition has been True; zero if it is not.
func trueSince(conditions []metav1.Condition, conditionType string) time.Time {
	c := meta.FindStatusCondition(conditions, conditionType)
	if c == nil || c.Status != metav1.ConditionTrue {
		return time.Time{}
	}
	return c.LastTransitionTime.Time
}

func isControlPlane(machine *clusterv1.Machine) bool {
	_, ok := machine.Labels[clusterv1.MachineControlPlaneLabel]
	return ok
}

// reasonFor makes a condition reason out of a condition type. A type may hold a
// domain, dots and dashes, which the API refuses in a reason, so
// example.com/disk-ok becomes DiskOkUnhealthy.
func reasonFor(conditionType string) string {
	name := conditionType[strings.LastIndex(conditionType, "/")+1:]
	var reason strings.Builder
	upper := true
	for _, r := range name {
		if r > unicode.MaxASCII || (!unicode.IsLetter(r) && !unicode.IsDigit(r)) {
			upper = true
			continue
		}
		if reason.Len() == 0 && unicode.IsDigit(r) {
			reason.WriteString("Condition")
		}
		if upper {
			r = unicode.ToUpper(r)
		}
		upper = false
		reason.WriteRune(r)
	}
	return reason.String() + "Unhealthy"
}
