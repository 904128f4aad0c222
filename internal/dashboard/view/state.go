package view

import (
	"strings"

	"github.com/sickbay-dev/sickbay/internal/explain"
)

// State is where a machine stands.
type State explain.State

// states are in the order in which people look for them.
var states = []explain.State{
	explain.StateHealthy, explain.StateSick, explain.StateUndecided, explain.StateInRepair, explain.StateProbation, explain.StateHeld, explain.StateOnHold,
	explain.StatePaused, explain.StateDeleting, explain.StateUnwatched,
}

// urgency sorts states: what needs a person first.
var urgency = map[State]int{}

// usual are the states that are shown even if no machine is in them.
const usual = 8

func init() {
	for i, state := range []explain.State{
		explain.StateHeld, explain.StateSick, explain.StateOnHold, explain.StateInRepair, explain.StateProbation, explain.StateUndecided, explain.StateDeleting,
		explain.StatePaused, explain.StateUnwatched, explain.StateHealthy,
	} {
		urgency[State(state)] = i
	}
}

// Words is a state as people say it.
func (s State) Words() string { return explain.State(s).Words() }

// Short is a state in a word or two, where it is clear what is counted.
func (s State) Short() string {
	if explain.State(s) == explain.StateOnHold {
		return "on hold"
	}
	return s.Words()
}

// Class is the CSS class of its color.
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

// Text is the number as people read it.
func (c Count) Text() string { return explain.Number(c.N) }

// counts are those of all usual states, and of others that are not empty.
func counts(n map[explain.State]int) []Count {
	var all []Count
	for i, state := range states {
		if i < usual || n[state] > 0 {
			all = append(all, Count{State(state), n[state]})
		}
	}
	return all
}

// States are all that one can ask for.
func States() []State {
	var all []State
	for _, state := range states {
		all = append(all, State(state))
	}
	return all
}
