package lint

import (
	"strings"

	"github.com/sickbay-dev/sickbay/internal/humanize"
)

// nearest returns the name that was probably meant, if one is similar enough; else it is empty.
func nearest(written string, names []string) (near string) {
	best := 3
	for _, name := range names {
		if d := humanize.Distance(strings.ToLower(written), strings.ToLower(name)); d < best {
			near, best = name, d
		}
	}
	return near
}

// oneSlip reports whether one letter is wrong, missing or too many, or two neighbours are swapped.
func oneSlip(a, b string) bool {
	if humanize.Distance(a, b) < 2 {
		return true
	}
	for i := 1; i < len(a); i++ {
		if a[:i-1]+string(a[i])+string(a[i-1])+a[i+1:] == b {
			return true
		}
	}
	return false
}
