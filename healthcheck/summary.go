package healthcheck

// NamedResult is the result of one check, with the name of the check.
type NamedResult struct {
	// Name is that of the NamedCheck.
	Name string
	Result
}

// Summary makes the message of a condition. It gets the results of all checks, in
// the order of their registration, as they read at the moment of the run, and what
// Merge made of them. It must depend on nothing else, and say the same for the
// same: a message that changes is written.
type Summary func(results []NamedResult, merged Result) string
