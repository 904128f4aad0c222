package checks

import (
	"cmp"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// condition holds the fields that the conditions of all kinds share.
type condition struct{ Type, Status, Reason, Message string }

// conditionsOf reads a list of conditions.
func conditionsOf[C any](list []C, read func(C) condition) []condition {
	conditions := make([]condition, 0, len(list))
	for _, c := range list {
		conditions = append(conditions, read(c))
	}
	return conditions
}

// demand is what a rule requires of one condition.
type demand struct {
	conditionType, status string
	// optional says that the condition may be missing.
	optional bool
}

// reason returns the reason for an unmet demand.
func (d demand) reason() string {
	if d.status == "True" {
		return "Not" + d.conditionType
	}
	return d.conditionType
}

// isTrue requires a condition that is True. notFalse and notTrue accept a missing one;
// otherwise notFalse requires True, and notTrue False.
func isTrue(conditionType string) demand   { return demand{conditionType, "True", false} }
func notFalse(conditionType string) demand { return demand{conditionType, "True", true} }
func notTrue(conditionType string) demand  { return demand{conditionType, "False", true} }

// judge returns False for the first unmet demand.
func judge(conditions []condition, demands ...demand) healthcheck.Result {
	return judgeOf(conditions, asIs, demands...)
}

// judgeOf is judge without copying the list.
func judgeOf[C any](list []C, read func(C) condition, demands ...demand) healthcheck.Result {
	for _, d := range demands {
		c, found := findOf(list, read, d.conditionType)
		if !found && !d.optional {
			return unhealthy(d.reason(), "Condition %s is missing", d.conditionType)
		}
		if found && c.Status != d.status {
			return unhealthy(d.reason(), "%s", c)
		}
	}
	return healthy()
}

func find(conditions []condition, conditionType string) (condition, bool) {
	return findOf(conditions, asIs, conditionType)
}

func findOf[C any](list []C, read func(C) condition, conditionType string) (condition, bool) {
	for _, item := range list {
		if c := read(item); c.Type == conditionType {
			return c, true
		}
	}
	return condition{}, false
}

func asIs(c condition) condition { return c }

// String returns everything that the condition says.
func (c condition) String() string { return c.say("Condition " + c.Type + " is ") }

// asPhase returns the same for a phase with a reason and a message.
func (c condition) asPhase() string { return c.say("Phase is ") }

func (c condition) say(text string) string {
	text += cmp.Or(c.Status, "empty")
	if c.Reason != "" {
		text += " (" + c.Reason + ")"
	}
	return withDetail(text, c.Message)
}
