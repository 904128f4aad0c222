package healthcheck

import "time"

// NamedResult is the result of one check, with the name of the check.
type NamedResult struct {
	// Name is the name of the check.
	Name string
	Result
}

// Findings are what the checks of a condition have found in one run.
type Findings struct {
	// Results are the results of all checks, in the order of their registration, as they
	// read at Now. They include the deadlines that the engine computes from Result.Within.
	Results []NamedResult
	// Merged is the result of Merge, with the message of Summary, if there is one.
	Merged Result
	// Current is the stored condition in the checks' polarity, or nil if there is none.
	Current *Condition
	// Now is the moment of the run.
	Now time.Time
}

// Summary returns the message of a condition. It gets the results of all checks, in the
// order of their registration, as they read at the time of the run, and the result of
// Merge. It must depend on nothing else, and return the same message for the same results:
// each changed message is written.
type Summary func(results []NamedResult, merged Result) string
