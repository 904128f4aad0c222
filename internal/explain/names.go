package explain

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// maxNames is how many names a sentence may have.
const maxNames = 5

// someNames joins the first few of some names, in order.
func someNames(all []string) string {
	slices.Sort(all)
	if len(all) <= maxNames {
		return strings.Join(all, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(all[:maxNames], ", "), len(all)-maxNames)
}

func mapValues[K comparable](m map[K]string) []string { return slices.Collect(maps.Values(m)) }
