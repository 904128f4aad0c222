package checks

// The reasons of the results of this package.
const (
	// ReasonHealthy says that there is nothing to complain about.
	ReasonHealthy = "Healthy"
	// ReasonNotFound says that there is no such object.
	ReasonNotFound = "NotFound"
	// ReasonAllSkipped says that the rule has skipped all objects of a list.
	ReasonAllSkipped = "AllSkipped"
)
