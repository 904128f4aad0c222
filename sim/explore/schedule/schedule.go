package schedule

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Deviation is a point of a run at which something unusual happened, and which of the options it was, counted from 1.
type Deviation struct{ At, Option int }

// Schedule is everything that distinguishes one run of a world from another.
type Schedule []Deviation

// usual is the schedule without deviations.
const usual = "usual"

// String returns the schedule as the flag -replay takes it.
func (s Schedule) String() string {
	if len(s) == 0 {
		return usual
	}
	parts := make([]string, len(s))
	for i, d := range s {
		parts[i] = fmt.Sprintf("%d:%d", d.At, d.Option)
	}
	return strings.Join(parts, ",")
}

// Parse parses what String returns.
func Parse(text string) (Schedule, error) {
	var s Schedule
	if text == usual {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		at, which, ok := strings.Cut(part, ":")
		d, err := Deviation{}, error(nil)
		if d.At, err = strconv.Atoi(at); err == nil && ok {
			d.Option, err = strconv.Atoi(which)
		}
		if err != nil || !ok {
			return nil, fmt.Errorf("reading a schedule: %q is not <point>:<option>", part)
		}
		s = append(s, d)
	}
	return s, nil
}

// Without returns the schedule without one deviation.
func (s Schedule) Without(i int) Schedule { return slices.Delete(slices.Clone(s), i, i+1) }
