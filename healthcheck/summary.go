package healthcheck

import "time"

// NamedResult is the result of one check, with the name of the check.
type NamedResult struct {
	// Name is that of the NamedCheck.
	Name string
	Result
}

// Findings are what the checks of a condition have found in one run.
type Findings struct {
	// Results are those of all checks, in the order of their registration, as they read at
	// Now. A Deadline that the engine has counted from Result.Within is in them.
	Results []NamedResult
	// Merged is what Merge has made of them, with the message of Summary, if there is one.
	Merged Result
	// Current is the condition as it is stored, in the sense of the checks; nil if there is
	// none.
	Current *Condition
	// Now is the moment of the run.
	Now time.Time
}

// Summary makes the message of a condition. It gets the results of all checks, in
// the order of their registration, as they read at the moment of the run, and what
// Merge made of them. It must depend on nothing else, and say the same for the
// same: a message that changes is written.
type Summary func(results []NamedResult, merged Result) string
