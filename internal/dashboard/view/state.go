package view

import (
	"slices"
	"strings"

	"github.com/sickbay-dev/sickbay/internal/explain"
)

// states are all states, in the order in which pages list them.
var states = []explain.State{
	explain.StateHealthy, explain.StateSick, explain.StateUndecided, explain.StateInRepair, explain.StateProbation, explain.StateHeld, explain.StateOnHold,
	explain.StatePaused, explain.StateDeleting, explain.StateUnwatched,
}

// byUrgency are all states; those that need a person come first.
var byUrgency = []explain.State{
	explain.StateHeld, explain.StateSick, explain.StateOnHold, explain.StateInRepair, explain.StateProbation, explain.StateUndecided, explain.StateDeleting,
	explain.StatePaused, explain.StateUnwatched, explain.StateHealthy,
}

// urgency ranks a state, from 0.
func urgency(s explain.State) int { return slices.Index(byUrgency, s) }

// usual is how many states are listed even if no machine is in them.
const usual = 8

// Short returns a word or two for a state, for places where it is clear what is counted.
func Short(s explain.State) string {
	if s == explain.StateOnHold {
		return "on hold"
	}
	return s.Words()
}

// Class returns the CSS class of its color.
func Class(s explain.State) string {
	if s == "" {
		return "s-none"
	}
	return "s-" + strings.ToLower(string(s))
}

// Count is how many machines are in a state.
type Count struct {
	State explain.State
	N     int
}

// Text formats the number for people.
func (c Count) Text() string { return explain.Number(c.N) }

// counts returns the counts of all usual states, and of others that are not empty.
func counts(n map[explain.State]int) []Count {
	var all []Count
	for i, state := range states {
		if i < usual || n[state] > 0 {
			all = append(all, Count{state, n[state]})
		}
	}
	return all
}
