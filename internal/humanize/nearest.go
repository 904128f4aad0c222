package humanize

import "strings"

// Nearest returns the name that was probably meant, if one is similar enough; else it is empty.
func Nearest(written string, names []string) (near string) {
	best := 3
	for _, name := range names {
		if d := Distance(strings.ToLower(written), strings.ToLower(name)); d < best {
			near, best = name, d
		}
	}
	return near
}
