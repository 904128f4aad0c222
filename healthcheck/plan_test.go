package healthcheck

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Times of the pure tests. The engine stores whole seconds; now is not one.
var (
	testNow  = time.Date(2026, time.March, 1, 12, 0, 0, 500_000_000, time.UTC)
	second   = testNow.Truncate(time.Second)
	hourAgo  = second.Add(-time.Hour)
	deadline = testNow.Add(time.Minute)
)

const generation = 7

func TestDecide(t *testing.T) {
	tests := map[string]struct {
		outcome outcome
		stored  []Condition
		want    plan
	}{
		"a new condition": {
			applies(True, "Fine", ""), nil,
			written(Transition{To: condition(True, "Fine", "", second), Result: Result{Status: True, Reason: "Fine"}}),
		},
		"the same again": {
			applies(True, "Fine", ""), stored(condition(True, "Fine", "", hourAgo)),
			plan{apply: stored(condition(True, "Fine", "", hourAgo))},
		},
		"another status": {
			applies(False, "Bad", "x"), stored(condition(True, "Fine", "", hourAgo)),
			written(Transition{
				From: condition(True, "Fine", "", hourAgo), To: condition(False, "Bad", "x", second),
				Result: Result{Status: False, Reason: "Bad", Message: "x"},
			}),
		},
		"another reason keeps the transition time": {
			applies(False, "Worse", "x"), stored(condition(False, "Bad", "x", hourAgo)),
			restated(Transition{
				From: condition(False, "Bad", "x", hourAgo), To: condition(False, "Worse", "x", hourAgo),
				Result: Result{Status: False, Reason: "Worse", Message: "x"},
			}),
		},
		"another message is written and no transition": {
			applies(False, "Bad", "y"), stored(condition(False, "Bad", "x", hourAgo)),
			plan{apply: stored(condition(False, "Bad", "y", hourAgo)), reworded: true},
		},
		"another generation is written and no transition": {
			applies(True, "Fine", ""), stored(old(condition(True, "Fine", "", hourAgo))),
			plan{apply: stored(condition(True, "Fine", "", hourAgo)), changed: true},
		},
		"progressing is compared as it is stored": {
			outcome{conditionType: "Ready", result: Result{Status: Progressing, Reason: "R", Deadline: deadline}},
			stored(condition(Unknown, "R", "", hourAgo)),
			plan{apply: stored(condition(Unknown, "R", "", hourAgo)), recheckAt: deadline},
		},
		"leave alone keeps what is stored": {
			outcome{conditionType: "Ready", applicability: LeaveAlone}, stored(old(condition(False, "Bad", "x", hourAgo))),
			plan{apply: stored(old(condition(False, "Bad", "x", hourAgo)))},
		},
		"leave alone writes nothing new": {outcome{conditionType: "Ready", applicability: LeaveAlone}, nil, plan{}},
		"does not apply removes": {
			outcome{conditionType: "Ready", applicability: DoesNotApply}, stored(condition(False, "Bad", "x", hourAgo)),
			plan{remove: []string{"Ready"}, transitions: []Transition{{From: condition(False, "Bad", "x", hourAgo)}}},
		},
		"does not apply, and nothing is there": {outcome{conditionType: "Ready", applicability: DoesNotApply}, nil, plan{}},
		"the conditions of others are not ours to apply": {
			applies(True, "Fine", ""), []Condition{{Type: "Foreign", Status: False}, condition(True, "Fine", "", hourAgo)},
			plan{apply: stored(condition(True, "Fine", "", hourAgo))},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := decide([]outcome{tt.outcome}, tt.stored, nil, progressingAsUnknown, generation, testNow)
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(plan{})); diff != "" {
				t.Errorf("decide (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDecideAll: server-side apply removes whatever is not in the set, so the set must be
// complete.
func TestDecideAll(t *testing.T) {
	first, second := applies(True, "Fine", ""), applies(True, "Fine", "")
	first.conditionType, first.result.RecheckAt = "First", deadline
	second.conditionType, second.result.RecheckAt = "Second", deadline.Add(-1)
	got := decide([]outcome{first, {conditionType: "Paused", applicability: LeaveAlone}, second},
		[]Condition{{Type: "Paused", Status: True}}, nil, progressingAsUnknown, generation, testNow)
	var types []string
	for _, c := range got.apply {
		types = append(types, c.Type)
	}
	if diff := cmp.Diff([]string{"First", "Paused", "Second"}, types); diff != "" {
		t.Errorf("conditions to apply (-want +got):\n%s", diff)
	}
	if !got.recheckAt.Equal(deadline.Add(-1)) {
		t.Errorf("recheck at %v, want the earliest of all", got.recheckAt)
	}
}

func progressingAsUnknown(c Condition) Condition {
	if c.Status == Progressing {
		c.Status = Unknown
	}
	return c
}

func applies(status Status, reason, message string) outcome {
	return outcome{conditionType: "Ready", result: Result{Status: status, Reason: reason, Message: message}}
}

func condition(status Status, reason, message string, since time.Time) Condition {
	return Condition{
		Type: "Ready", Status: status, Reason: reason, Message: message,
		ObservedGeneration: generation, LastTransitionTime: since,
	}
}

// old returns c as judged for an earlier generation.
func old(c Condition) Condition {
	c.ObservedGeneration--
	return c
}

func stored(conditions ...Condition) []Condition { return conditions }

// written returns the plan that stores one transition.
func written(transition Transition) plan {
	return plan{apply: stored(transition.To), changed: true, transitions: []Transition{transition}}
}

func restated(transition Transition) plan {
	return plan{apply: stored(transition.To), restated: true, transitions: []Transition{transition}}
}
