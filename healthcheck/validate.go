package healthcheck

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
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
	if slices.Contains(r.FormerNames, r.Name) {
		errs = append(errs, fmt.Errorf("registration %q has its own name among its FormerNames", r.Name))
	}
	errs = append(errs, r.numbers(), r.validateTargets(), r.validateWatches())
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

// validateTargets asks the Targets, if they know.
func (r *Registration[T]) validateTargets() error {
	validator, ok := r.Targets.(Validator)
	if !ok {
		return nil
	}
	if err := validator.Validate(); err != nil {
		return fmt.Errorf("registration %q: its Targets: %w", r.Name, err)
	}
	return nil
}

// validateWatches validates what leads to looks.
func (r *Registration[T]) validateWatches() error {
	var errs []error
	if slices.ContainsFunc(r.Predicates, func(p predicate.Predicate) bool { return p == nil }) {
		errs = append(errs, fmt.Errorf("registration %q: one of its Predicates is nil", r.Name))
	}
	for _, w := range r.Watches {
		if w.Object == nil {
			errs = append(errs, fmt.Errorf("registration %q: a watch has no Object", r.Name))
		}
		if slices.ContainsFunc(w.Predicates, func(p predicate.Predicate) bool { return p == nil }) {
			errs = append(errs, fmt.Errorf("registration %q: one of the Predicates of its watch on %T is nil", r.Name, w.Object))
		}
	}
	return errors.Join(errs...)
}

// claims are the names and condition types of the registrations of each manager.
var claims = struct {
	mu sync.Mutex
	of map[ctrl.Manager]map[claim]string
}{of: map[ctrl.Manager]map[claim]string{}}

// claim is a name or a condition type of some objects of a kind.
type claim struct {
	kind         schema.GroupKind
	subset, what string
}

// claim reserves the name and the condition types for the registration, as long as the manager runs. It returns an error if
// another registration of the manager has one of them.
func (r *Registration[T]) claim(mgr ctrl.Manager) (release func(), err error) {
	gvk, err := apiutil.GVKForObject(r.newObject(), mgr.GetScheme())
	if err != nil {
		return nil, fmt.Errorf("registration %q: finding the kind of its objects: %w", r.Name, err)
	}
	wanted := []claim{{gvk.GroupKind(), r.Subset, fmt.Sprintf("the name %q", r.Name)}}
	for _, conditionType := range r.types() {
		wanted = append(wanted, claim{gvk.GroupKind(), r.Subset, fmt.Sprintf("condition type %q", conditionType)})
	}
	claims.mu.Lock()
	defer claims.mu.Unlock()
	taken := claims.of[mgr]
	for _, c := range wanted {
		if other, found := taken[c]; found {
			err = errors.Join(err, fmt.Errorf("registration %q wants %s of kind %s, which registration %q of the same manager already has: they would overwrite each other", r.Name, c.what, gvk.Kind, other))
		}
	}
	if err != nil {
		return nil, err
	}
	if taken == nil {
		taken = map[claim]string{}
		claims.of[mgr] = taken
	}
	for _, c := range wanted {
		taken[c] = r.Name
	}
	return func() { unclaim(mgr, wanted) }, nil
}

// unclaim gives back claims.
func unclaim(mgr ctrl.Manager, given []claim) {
	claims.mu.Lock()
	defer claims.mu.Unlock()
	for _, c := range given {
		delete(claims.of[mgr], c)
	}
	if len(claims.of[mgr]) == 0 {
		delete(claims.of, mgr)
	}
}

// shortestTimeout is the minimum of timeouts: less is a number whose unit was forgotten.
const shortestTimeout = time.Millisecond

// shortestInterval is the minimum of Registration.MinInterval.
const shortestInterval = 10 * time.Millisecond

// numbers returns an error for each number or time of the registration that makes no sense.
func (r *Registration[T]) numbers() error {
	var errs []error
	for _, number := range []struct {
		field  string
		value  int64
		least  time.Duration
		unless time.Duration
	}{
		{"MinInterval", int64(r.MinInterval), shortestInterval, 0},
		{"SyncPeriod", int64(r.SyncPeriod), r.floor(), Never},
		{"CheckTimeout", int64(r.CheckTimeout), shortestTimeout, 0},
		{"MaxConcurrentReconciles", int64(r.MaxConcurrentReconciles), 0, 0},
		{"CheckConcurrency", int64(r.CheckConcurrency), 0, 0},
	} {
		if number.value == int64(number.unless) {
			continue
		}
		if err := enough(number.field, time.Duration(number.value), number.least); err != nil {
			errs = append(errs, fmt.Errorf("registration %q: %w", r.Name, err))
		}
	}
	return errors.Join(errs...)
}

// enough returns an error for a time that is negative or below its minimum; zero stands for a default.
func enough(field string, d, least time.Duration) error {
	switch {
	case d < 0:
		return fmt.Errorf("%s is negative", field)
	case d > 0 && d < least:
		return fmt.Errorf("%s is %s, and at least %s is possible", field, d, least)
	}
	return nil
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
	if err := enough("Damping.Interval", c.Damping.Interval, time.Second); c.Damping.Interval > 0 && err != nil {
		errs = append(errs, fmt.Errorf("registration %q: condition %q: %w", r.Name, c.Type, err))
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

// maxType is the maximum length of the type of a metav1.Condition.
const maxType = 316

// validateType validates the type of a condition.
func (r *Registration[T]) validateType(conditionType string) error {
	if conditionType == "" {
		return fmt.Errorf("registration %q: a condition has no type", r.Name)
	}
	if len(conditionType) > maxType {
		return fmt.Errorf("registration %q: condition type %q has %d characters, and at most %d are possible", r.Name, conditionType[:20]+"...", len(conditionType), maxType)
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
	about := func(err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("registration %q: check %q of condition %q: %w", r.Name, check.Name, c.Type, err))
		}
	}
	about(enough("its Interval", max(check.Interval, 0), r.floor()))
	about(enough("its Poll", check.Poll, r.floor()))
	if validator, ok := check.Check.(Validator); ok {
		about(validator.Validate())
	}
	return errors.Join(append(errs, r.meets(check.Needs, fmt.Sprintf("check %q of condition %q", check.Name, c.Type)))...)
}
