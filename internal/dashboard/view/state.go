package view

import (
	"strings"

	"github.com/sickbay-dev/sickbay/internal/explain"
)

// State is the state of a machine.
type State explain.State

// states are all states, in the order in which pages list them.
var states = []explain.State{
	explain.StateHealthy, explain.StateSick, explain.StateUndecided, explain.StateInRepair, explain.StateProbation, explain.StateHeld, explain.StateOnHold,
	explain.StatePaused, explain.StateDeleting, explain.StateUnwatched,
}

// urgency ranks states: those that need a person come first.
var urgency = map[State]int{}

// usual is how many states are listed even if no machine is in them.
const usual = 8

func init() {
	for i, state := range []explain.State{
		explain.StateHeld, explain.StateSick, explain.StateOnHold, explain.StateInRepair, explain.StateProbation, explain.StateUndecided, explain.StateDeleting,
		explain.StatePaused, explain.StateUnwatched, explain.StateHealthy,
	} {
		urgency[State(state)] = i
	}
}

// Words returns the words for a state.
func (s State) Words() string { return explain.State(s).Words() }

// Short returns a word or two for a state, for places where it is clear what is counted.
func (s State) Short() string {
	if explain.State(s) == explain.StateOnHold {
		return "on hold"
	}
	return s.Words()
}

// Class returns the CSS class of its color.
func (s State) Class() string {
	if s == "" {
		return "s-none"
	}
	return "s-" + strings.ToLower(string(s))
}

// Count is how many machines are in a state.
type Count struct {
	State State
	N     int
}

// Text formats the number for people.
func (c Count) Text() string { return explain.Number(c.N) }

// counts returns the counts of all usual states, and of others that are not empty.
func counts(n map[explain.State]int) []Count {
	var all []Count
	for i, state := range states {
		if i < usual || n[state] > 0 {
			all = append(all, Count{State(state), n[state]})
		}
	}
	return all
}

// States returns all states that a query can select.
func States() []State {
	var all []State
	for _, state := range states {
		all = append(all, State(state))
	}
	return all
}
