// Package severity defines the one order of statuses.
//
// It uses strings, because the packages that share it import each other.
package severity

import "slices"

// Of returns the rank of a status, the worst first; it is negative for an undefined one.
func Of(status string) int {
	return slices.Index([]string{"False", "Unknown", "Progressing", "True", "Skipped"}, status)
}
