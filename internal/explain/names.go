package explain

import (
	"slices"
	"strings"

	"github.com/sickbay-dev/sickbay/internal/words"
)

// maxNames is how many names a sentence may have.
const maxNames = 5

// SomeNames joins the first few of some names.
func SomeNames(all []string) string {
	return words.Some(all, maxNames)
}

// JoinParts joins the parts of a sentence that are not empty.
func JoinParts(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "; ")
}
