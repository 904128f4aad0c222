package conditions

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// Of returns the condition of a type; empty if there is none.
func Of(all []metav1.Condition, conditionType string) metav1.Condition {
	if c := meta.FindStatusCondition(all, conditionType); c != nil {
		return *c
	}
	return metav1.Condition{}
}

// Summarize sets the one condition by which kstatus knows how an object is doing, Reconciling or Stalled, with what c says, and removes the other;
// with an empty type both, as kstatus wants it of an object that is done. It reports whether anything has changed.
func Summarize(all *[]metav1.Condition, conditionType string, c metav1.Condition) bool {
	changed := false
	for _, one := range []string{v1alpha1.ConditionReconciling, v1alpha1.ConditionStalled} {
		if one == conditionType {
			c.Type, c.Status = one, metav1.ConditionTrue
			changed = meta.SetStatusCondition(all, c) || changed
			continue
		}
		changed = meta.RemoveStatusCondition(all, one) || changed
	}
	return changed
}

// SummarizeSuccess summarizes the condition Succeeded of what is done once, which is Unknown until then.
func SummarizeSuccess(all *[]metav1.Condition, succeeded metav1.Condition) {
	conditionType := ""
	switch succeeded.Status {
	case metav1.ConditionUnknown:
		conditionType = v1alpha1.ConditionReconciling
	case metav1.ConditionFalse:
		conditionType = v1alpha1.ConditionStalled
	case metav1.ConditionTrue:
	}
	Summarize(all, conditionType, succeeded)
}
