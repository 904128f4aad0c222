package checks

import (
	"cmp"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// condition holds the fields that the conditions of all kinds share.
type condition struct{ Type, Status, Reason, Message string }

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

// isTrue requires a condition that is True.
func isTrue(conditionType string) demand { return demand{conditionType, "True", false} }

// judgeOf returns False for the first unmet demand.
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

func findOf[C any](list []C, read func(C) condition, conditionType string) (condition, bool) {
	for _, item := range list {
		if c := read(item); c.Type == conditionType {
			return c, true
		}
	}
	return condition{}, false
}

// String returns everything that the condition says.
func (c condition) String() string { return c.say("Condition " + c.Type + " is ") }

func (c condition) say(text string) string {
	text += cmp.Or(c.Status, "empty")
	if c.Reason != "" {
		text += " (" + c.Reason + ")"
	}
	return withDetail(text, c.Message)
}
