package result

import (
	"errors"
	"fmt"
	"slices"
)

// validateLimits returns the first error in limits.
func validateLimits(all []Limit) error {
	if len(all) == 0 {
		return errors.New("there are no limits")
	}
	seen := map[string]bool{}
	for i, limit := range all {
		if err := limit.validate(); err != nil {
			return fmt.Errorf("limit %d, %s: %w", i+1, limit, err)
		}
		if seen[limit.String()] {
			return fmt.Errorf("limit %d, %s: it is there twice", i+1, limit)
		}
		seen[limit.String()] = true
	}
	return nil
}

func (l Limit) validate() error {
	info, known := Describe(l.Measure)
	if !known {
		return fmt.Errorf("nobody knows the measure %q", l.Measure)
	}
	if l.Fleet != anyFleet {
		if _, err := ParseFleet(l.Fleet); err != nil {
			return fmt.Errorf("%w, nor %s", err, anyFleet)
		}
	}
	if l.Most == nil {
		return errors.New("it does not say how much is the most")
	}
	if l.Why == "" {
		return errors.New("it does not say why")
	}
	if l.Against != nil {
		return l.Against.validate(info.Unit)
	}
	if info.Unit != "1" {
		return errors.New("only a ratio of it can be limited: times and bytes differ from machine to machine")
	}
	return nil
}

func (a against) validate(unit string) error {
	if a == (against{}) {
		return errors.New("it is against nothing")
	}
	if a.Subject != "" && !slices.Contains(Subjects(), a.Subject) {
		return fmt.Errorf("nobody knows the subject %q", a.Subject)
	}
	if a.Measure != "" {
		info, known := Describe(a.Measure)
		if !known {
			return fmt.Errorf("nobody knows the measure %q", a.Measure)
		}
		if info.Unit != unit {
			return fmt.Errorf("%s has another unit", a.Measure)
		}
	}
	if a.Fleet != "" {
		if _, err := ParseFleet(a.Fleet); err != nil {
			return err
		}
	}
	return nil
}

// String describes what a limit is about.
func (l Limit) String() string {
	text := fmt.Sprintf("%s at %s", l.Measure, l.Fleet)
	if l.Against == nil {
		return text
	}
	text += " against"
	for _, part := range []string{string(l.Against.Subject), string(l.Against.Measure), l.Against.Fleet} {
		if part != "" {
			text += " " + part
		}
	}
	return text
}
