package rules

// Failure says which rule was broken, and how.
type Failure struct{ Rule, Message string }

// Error implements error.
func (f *Failure) Error() string { return f.Rule + ": " + f.Message }
