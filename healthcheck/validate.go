package healthcheck

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Validate returns an error that names everything that is missing or wrong.
func (r *Registration[T]) Validate() error {
	var errs []error
	if r.Name == "" {
		errs = append(errs, errors.New("a registration needs a name"))
	}
	if r.New == nil || r.Store == nil {
		errs = append(errs, fmt.Errorf("registration %q needs New and Store", r.Name))
	}
	if len(r.Conditions) == 0 {
		errs = append(errs, fmt.Errorf("registration %q has no conditions", r.Name))
	}
	if r.hasNegative() {
		errs = append(errs, fmt.Errorf("registration %q: a number or a time is negative", r.Name))
	}
	if slices.ContainsFunc(r.Dependants, func(d Dependant) bool { return d.Object == nil }) {
		errs = append(errs, fmt.Errorf("registration %q: a dependant has no Object", r.Name))
	}
	seen := map[string]bool{}
	for i := range r.Conditions {
		c := &r.Conditions[i]
		if c.Type == "" || seen[c.Type] {
			errs = append(errs, fmt.Errorf("registration %q: condition type %q is empty or registered twice", r.Name, c.Type))
		}
		seen[c.Type] = true
		errs = append(errs, r.validate(c))
	}
	return errors.Join(errs...)
}

func (r *Registration[T]) hasNegative() bool {
	return (r.SyncPeriod < 0 && r.SyncPeriod != Never) || r.CheckTimeout < 0 || min(r.Concurrency, r.CheckConcurrency) < 0
}

// validate looks at one condition.
func (r *Registration[T]) validate(c *ConditionChecks[T]) error {
	var errs []error
	if len(c.Checks) == 0 {
		errs = append(errs, fmt.Errorf("registration %q: condition %q has no checks", r.Name, c.Type))
	}
	if c.WhileUndecided != Applies && c.WhileUndecided != LeaveAlone {
		errs = append(errs, fmt.Errorf("registration %q: WhileUndecided of condition %q is neither Applies nor LeaveAlone", r.Name, c.Type))
	}
	named := map[string]bool{}
	for _, check := range c.Checks {
		if check.Name == "" || named[check.Name] || strings.Contains(check.Name, separator) {
			errs = append(errs, fmt.Errorf("registration %q: check %q of condition %q is there twice, or has no name, or one with %q", r.Name, check.Name, c.Type, separator))
		}
		named[check.Name] = true
		if check.Check == nil {
			errs = append(errs, fmt.Errorf("registration %q: check %q of condition %q is nil", r.Name, check.Name, c.Type))
		}
		errs = append(errs, r.meets(check.Needs, fmt.Sprintf("check %q of condition %q", check.Name, c.Type)))
	}
	return errors.Join(append(errs, r.meets(c.PrecheckNeeds, fmt.Sprintf("a precheck of condition %q", c.Type)))...)
}

// meets returns an error if a need of somebody can never be met.
func (r *Registration[T]) meets(needs Needs, who string) error {
	switch {
	case needs.has(NeedsTarget) && r.Targets == nil:
		return fmt.Errorf("registration %q: %s needs a target cluster, and there are no Targets", r.Name, who)
	case needs.has(NeedsParent) && r.Parent == nil:
		return fmt.Errorf("registration %q: %s needs the parent, and there is no Parent", r.Name, who)
	case needs >= NeedsParent<<1:
		return fmt.Errorf("registration %q: %s needs something that does not exist", r.Name, who)
	}
	return nil
}
