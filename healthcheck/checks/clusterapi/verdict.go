// Code generated from healthcheck/checks/verdict.go by make generate. DO NOT EDIT.

package clusterapi

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
)

func healthy() healthcheck.Result {
	return healthcheck.Result{Status: healthcheck.True, Reason: checks.ReasonHealthy}
}

func unhealthy(reason, format string, args ...any) healthcheck.Result {
	return healthcheck.Result{Status: healthcheck.False, Reason: reason, Message: oneLine(fmt.Sprintf(format, args...))}
}

func progressing(d time.Duration, reason, format string, args ...any) healthcheck.Result {
	r := unhealthy(reason, format, args...)
	r.Status, r.Within = healthcheck.Progressing, d
	return r
}

// observed makes a passing verdict about an older generation Progressing. A failure stays
// one, so that it does not come and go with each change of the spec.
func observed(generation, seen int64, verdict healthcheck.Result) healthcheck.Result {
	if seen >= generation || (seen > 0 && verdict.Status == healthcheck.False) {
		return verdict
	}
	return notObserved(generation, seen)
}

// observedOutage is observed, but a change of the spec leaves an outage its deadline.
func observedOutage(generation, seen int64, verdict healthcheck.Result) healthcheck.Result {
	if seen > 0 && !verdict.Deadline.IsZero() {
		return verdict
	}
	return observed(generation, seen, verdict)
}

// notObserved uses one clock for all generations: a spec that changes all the time must not
// hide a controller that is gone.
func notObserved(generation, seen int64) healthcheck.Result {
	return progressing(checks.ObservedWithin, checks.ReasonNotObserved, "Observed generation is %d, not %d", seen, generation)
}

// rollingOut returns the result for the roll-out of one revision. Each revision has its own
// clock.
func rollingOut(revision, format string, args ...any) healthcheck.Result {
	r := progressing(checks.RolloutWithin, checks.ReasonRollingOut, format, args...)
	r.Cause = "revision " + revision
	return r
}

// advancing gives what a roll-out still has to do to a verdict with a clock, and how long it may take to do less.
func advancing(d time.Duration, verdict healthcheck.Result, left ...int32) healthcheck.Result {
	if verdict.Within == 0 {
		return verdict
	}
	verdict.Within = d
	for _, l := range left {
		verdict.Left += int(max(0, l))
	}
	return verdict
}

// starting allows an object time after its creation for problems with one of the reasons.
// After that, the verdict stands.
func starting(d time.Duration, obj metav1.Object, verdict healthcheck.Result, reasons ...string) healthcheck.Result {
	if !slices.Contains(reasons, verdict.Reason) {
		return verdict
	}
	return tolerated(d, obj.GetCreationTimestamp(), verdict)
}

// tolerated allows a problem until some time after since, if that is known.
func tolerated(d time.Duration, since metav1.Time, verdict healthcheck.Result) healthcheck.Result {
	if verdict.Status != healthcheck.False || since.IsZero() {
		return verdict
	}
	verdict.Status, verdict.Deadline, verdict.Overdue = healthcheck.Progressing, since.Add(d), verdict.Reason
	return verdict
}

// recovering is tolerated, but the problem has its time again as long as it advances: see advancing.
func recovering(d time.Duration, since metav1.Time, verdict healthcheck.Result) healthcheck.Result {
	if verdict = tolerated(d, since, verdict); verdict.Status == healthcheck.Progressing {
		verdict.Within = d
	}
	return verdict
}

// maxDetail is the maximum length of foreign text in a message.
const maxDetail = 800

// withDetail appends foreign text to a message.
func withDetail(text, detail string) string {
	if detail = clip(oneLine(detail)); detail != "" {
		return text + ": " + detail
	}
	return text
}

func clip(text string) string { return clipTo(maxDetail, text) }

func clipTo(most int, text string) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return text
}

// oneLine makes a text fit for a condition, since others wrote parts of it.
func oneLine(text string) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
}

// atLeast requires a minimum number; what is, for example, "replicas are ready". The
// message does not contain the current number: it would change with each replica.
func atLeast(reason string, have, want int32, what string) healthcheck.Result {
	if have < want {
		return unhealthy(reason, "Fewer than %d %s", want, what)
	}
	return healthy()
}

func number(generation int64) string { return strconv.FormatInt(generation, 10) }
