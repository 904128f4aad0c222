package explain

import (
	"fmt"
	"slices"
	"strings"
)

// maxNames is how many names a sentence may have.
const maxNames = 5

// SomeNames joins the first few of some names.
func SomeNames(all []string) string {
	if len(all) <= maxNames {
		return strings.Join(all, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(all[:maxNames], ", "), len(all)-maxNames)
}

// JoinParts joins the parts of a sentence that are not empty.
func JoinParts(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "; ")
}
