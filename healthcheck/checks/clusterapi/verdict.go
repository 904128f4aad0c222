package clusterapi

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
)

var healthy = healthcheck.Result{Status: healthcheck.True, Reason: checks.ReasonHealthy}

func unhealthy(reason, format string, args ...any) healthcheck.Result {
	return healthcheck.Result{Status: healthcheck.False, Reason: reason, Message: fmt.Sprintf(format, args...)}
}

func progressing(d time.Duration, reason, format string, args ...any) healthcheck.Result {
	r := unhealthy(reason, format, args...)
	r.Status, r.Within = healthcheck.Progressing, d
	return r
}

// observed takes a pass away from a verdict over an older generation. A failure stays
// one, so that it does not come and go with each change of the spec.
func observed(generation, seen int64, verdict healthcheck.Result) healthcheck.Result {
	if seen >= generation || (seen > 0 && verdict.Status == healthcheck.False) {
		return verdict
	}
	return progressing(checks.ObservedWithin, checks.ReasonNotObserved, "Observed generation is %d, not %d", seen, generation)
}

// isTrue demands that a condition is there, and True.
func isTrue(conditions []metav1.Condition, conditionType string) healthcheck.Result {
	c := meta.FindStatusCondition(conditions, conditionType)
	if c == nil {
		return unhealthy("Not"+conditionType, "Condition %s is missing", conditionType)
	}
	if c.Status != metav1.ConditionTrue {
		return unhealthy("Not"+conditionType, "%s", say(c))
	}
	return healthy
}

// maxDetail is how much of a foreign text goes into a message.
const maxDetail = 800

// say puts all that is in a condition into one line. It has parts that others wrote.
func say(c *metav1.Condition) string {
	text := "Condition " + c.Type + " is " + cmp.Or(string(c.Status), "empty")
	if c.Reason != "" {
		text += " (" + c.Reason + ")"
	}
	if detail := []rune(oneLine(c.Message)); len(detail) > maxDetail {
		text += ": " + string(detail[:maxDetail]) + "..."
	} else if len(detail) > 0 {
		text += ": " + string(detail)
	}
	return oneLine(text)
}

func oneLine(text string) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
}

// orOne is a number of replicas, of which the API makes 1 if there is none.
func orOne(replicas *int32) int32 {
	if replicas == nil {
		return 1
	}
	return *replicas
}
