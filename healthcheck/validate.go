package healthcheck

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Validate returns an error that names everything that is missing or wrong, or nil.
func (r *Registration[T]) Validate() error {
	var errs []error
	if r.Name == "" {
		errs = append(errs, errors.New("a registration needs a name"))
	}
	if !utf8.ValidString(r.Name) {
		errs = append(errs, fmt.Errorf("registration %q: its name is not UTF-8", r.Name))
	}
	if r.New == nil && !r.saysKind() {
		errs = append(errs, fmt.Errorf("registration %q needs New, because type %s does not determine the kind", r.Name, reflect.TypeFor[T]()))
	}
	if r.store() == nil {
		errs = append(errs, r.errNoStore())
	}
	if len(r.Conditions) == 0 {
		errs = append(errs, fmt.Errorf("registration %q has no conditions", r.Name))
	}
	errs = append(errs, r.negatives())
	if slices.ContainsFunc(r.Watches, func(d Watch) bool { return d.Object == nil }) {
		errs = append(errs, fmt.Errorf("registration %q: a watch has no Object", r.Name))
	}
	errs = append(errs, r.meets(r.PrecheckNeeds, "the precheck"))
	seen := map[string]bool{}
	for i := range r.Conditions {
		c := &r.Conditions[i]
		if seen[c.Type] {
			errs = append(errs, fmt.Errorf("registration %q: condition type %q is registered twice", r.Name, c.Type))
		}
		seen[c.Type] = true
		errs = append(errs, r.validate(c))
	}
	return errors.Join(append(errs, r.validateRoot(seen))...)
}

// negatives returns an error for each number or time of the registration that is negative.
func (r *Registration[T]) negatives() error {
	var errs []error
	for _, number := range []struct {
		field    string
		negative bool
	}{
		{"SyncPeriod", r.SyncPeriod < 0 && r.SyncPeriod != Never},
		{"CheckTimeout", r.CheckTimeout < 0},
		{"Concurrency", r.Concurrency < 0},
		{"CheckConcurrency", r.CheckConcurrency < 0},
	} {
		if number.negative {
			errs = append(errs, fmt.Errorf("registration %q: %s is negative", r.Name, number.field))
		}
	}
	return errors.Join(errs...)
}

// meets returns an error if the registration can never meet the needs. The error says who
// has them.
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

// isConditionType is what the API server accepts as the type of a metav1.Condition.
var isConditionType = regexp.MustCompile(`^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$`)

// validate validates one condition.
func (r *Registration[T]) validate(c *ConditionChecks[T]) error {
	errs := []error{r.validateType(c.Type)}
	if len(c.Checks) == 0 {
		errs = append(errs, fmt.Errorf("registration %q: condition %q has no checks", r.Name, c.Type))
	}
	if c.WhileUndecided != Applies && c.WhileUndecided != LeaveAlone {
		errs = append(errs, fmt.Errorf("registration %q: WhileUndecided of condition %q is neither Applies nor LeaveAlone", r.Name, c.Type))
	}
	if slices.ContainsFunc(c.Prechecks, func(p Precheck[T]) bool { return p == nil }) {
		errs = append(errs, fmt.Errorf("registration %q: a precheck of condition %q is nil", r.Name, c.Type))
	}
	if min(c.Damping.Failures, c.Damping.Successes) < 0 || c.Damping.Interval < 0 {
		errs = append(errs, fmt.Errorf("registration %q: Damping of condition %q has a negative value", r.Name, c.Type))
	}
	named := map[string]bool{}
	for _, check := range c.Checks {
		if named[check.Name] {
			errs = append(errs, fmt.Errorf("registration %q: check %q of condition %q is registered twice", r.Name, check.Name, c.Type))
		}
		named[check.Name] = true
		errs = append(errs, r.validateCheck(c, check))
	}
	return errors.Join(append(errs, r.meets(c.PrecheckNeeds, fmt.Sprintf("a precheck of condition %q", c.Type)))...)
}

// validateType validates the type of a condition.
func (r *Registration[T]) validateType(conditionType string) error {
	if conditionType == "" {
		return fmt.Errorf("registration %q: a condition has no type", r.Name)
	}
	if !isConditionType.MatchString(conditionType) {
		return fmt.Errorf(`registration %q: condition type %q may contain only letters, digits, "-", "_" and ".", optionally after a domain and "/"`, r.Name, conditionType)
	}
	return nil
}

// validateCheck validates one check of a condition.
func (r *Registration[T]) validateCheck(c *ConditionChecks[T], check NamedCheck[T]) error {
	var errs []error
	if check.Name == "" {
		errs = append(errs, fmt.Errorf("registration %q: a check of condition %q has no name", r.Name, c.Type))
	}
	if strings.Contains(check.Name, separator) {
		errs = append(errs, fmt.Errorf("registration %q: check %q of condition %q has %q in its name", r.Name, check.Name, c.Type, separator))
	}
	if !utf8.ValidString(check.Name) {
		errs = append(errs, fmt.Errorf("registration %q: the name %q of a check of condition %q is not UTF-8", r.Name, check.Name, c.Type))
	}
	if function, ok := check.Check.(CheckFunc[T]); check.Check == nil || (ok && function == nil) {
		errs = append(errs, fmt.Errorf("registration %q: check %q of condition %q is nil", r.Name, check.Name, c.Type))
	}
	if check.Interval < 0 {
		errs = append(errs, fmt.Errorf("registration %q: check %q of condition %q has a negative Interval", r.Name, check.Name, c.Type))
	}
	return errors.Join(append(errs, r.meets(check.Needs, fmt.Sprintf("check %q of condition %q", check.Name, c.Type)))...)
}
