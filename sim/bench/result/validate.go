package result

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Subjects returns all subjects in display order.
func Subjects() []Subject { return []Subject{Sickbay, Previous, Upstream, Unlimited, Floor} }

// Validate returns the first error in a report.
func (r Report) Validate() error {
	if r.Time.IsZero() {
		return errors.New("it has no time")
	}
	type key struct {
		Measure
		Fleet
		Subject
	}
	seen := map[key]bool{}
	for _, figure := range r.Figures {
		if err := figure.validate(); err != nil {
			return fmt.Errorf("%s: %w", figure, err)
		}
		k := key{figure.Measure, figure.Fleet, figure.Subject}
		if seen[k] {
			return fmt.Errorf("%s: it is there twice", figure)
		}
		seen[k] = true
	}
	return nil
}

func (f Figure) validate() error {
	if _, ok := Describe(f.Measure); !ok {
		return errors.New("nobody knows this measure")
	}
	if !slices.Contains(Subjects(), f.Subject) {
		return errors.New("nobody knows this subject")
	}
	if f.Fleet.Clusters < 1 || f.Fleet.Machines < 1 || f.Fleet.Large < 0 {
		return errors.New("the fleet is empty")
	}
	if len(f.Values) == 0 {
		return errors.New("it has no values")
	}
	for _, value := range f.Values {
		// NaN fails both comparisons.
		if !(value >= 0 && value <= math.MaxFloat64) {
			return fmt.Errorf("%v is no value", value)
		}
	}
	return nil
}

// String names a figure for use in a sentence.
func (f Figure) String() string { return fmt.Sprintf("%s of %s at %s", f.Measure, f.Subject, f.Fleet) }
