// Package severity has the one order of statuses.
//
// It knows them by their texts, as the packages that use it import each other.
package severity

import "slices"

// Of is how bad a status is, the worst first; it is negative for one outside of the closed set.
func Of(status string) int {
	return slices.Index([]string{"False", "Unknown", "Progressing", "True", "Skipped"}, status)
}
