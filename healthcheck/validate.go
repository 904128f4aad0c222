package healthcheck

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
)

// Validate returns an error that names everything that is missing or wrong, or nil.
func (r *Registration[T]) Validate() error {
	var errs []error
	if r.Name == "" {
		errs = append(errs, errors.New("a registration needs a name"))
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
