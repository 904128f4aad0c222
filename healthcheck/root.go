package healthcheck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// Root is a condition that sums up others of its registration, as Ready does. It is made of what these say, in the same
// look: by Merge over their results, in the sense of the checks, so that a Degraded that is True makes it False. A condition
// that does not apply, or is skipped, does not count. One that is left alone, or is damped, counts as it is stored. If all
// are left alone, so is the root; if none counts, it is removed. While a condition could never be told, for a LaterError or with
// WhileUndecided, the root is left alone, too, unless it is False or Unknown for another: nothing is healthy by omission.
type Root struct {
	// Type is the condition type. Without one there is no root condition.
	Type string
	// Of are the types of the conditions that it sums up. The default is all of the
	// registration.
	Of []string
	// Summary makes the message of the condition, from results that have the types of the
	// conditions for names. The default is the messages of all with the worst status, or
	// their reasons, each behind its type: "Upgraded: 2 of 3; Open: no answer".
	Summary Summary
}

// sums reports whether the root condition is about a condition type.
func (r Root) sums(conditionType string) bool {
	return len(r.Of) == 0 || slices.Contains(r.Of, conditionType)
}

// root makes the outcome of the root condition of those of the others, which are in the order of the registration.
func (r *Reconciler[T]) root(ctx context.Context, run run[T], outcomes []outcome, stored []Condition) outcome {
	root := outcome{conditionType: r.Root.Type, applicability: LeaveAlone}
	made := ConditionChecks[T]{Type: r.Root.Type, Summary: r.Root.Summary}
	var results []Result
	open := false // Of one that counts nothing is known yet.
	for i, o := range outcomes {
		if !r.Root.sums(o.conditionType) {
			continue
		}
		if o.applicability != LeaveAlone {
			root.applicability = Applies
		}
		o, counts := o.counted(r.Conditions[i].inSense(find(stored, o.conditionType)))
		if !counts {
			open = open || o.err != nil || o.later != nil
			continue
		}
		if r.Root.Summary == nil {
			o.result.Message = behindType(o)
		}
		results = append(results, o.result)
		made.Checks = append(made.Checks, NamedCheck[T]{Name: o.conditionType})
		root.isAbout(o)
	}
	if root.applicability != Applies {
		return root
	}
	root.result.Status = Skipped
	if len(results) > 0 {
		root.result, root.err = run.conclusion(ctx, made, results, nil)
	}
	root.applicability = becoming(root.result.Status, open)
	return root
}

// becoming is what becomes of a root condition with a status. Open says that of one that it sums up nothing is known yet.
func becoming(status Status, open bool) Applicability {
	switch {
	case open && status.severity() > Unknown.severity():
		return LeaveAlone
	case status == Skipped:
		return DoesNotApply
	default:
		return Applies
	}
}

// counted returns o as it counts for the root condition, and whether it does. Current is what is stored, in the sense of
// the checks, or nil.
func (o outcome) counted(current *Condition) (outcome, bool) {
	switch {
	case o.applicability == DoesNotApply || (o.applicability == LeaveAlone && current == nil):
		return o, false
	case o.applicability == LeaveAlone:
		o.result = Result{Status: current.Status, Reason: current.Reason, Message: current.Message, Codes: current.Codes}
		o.isStored, o.observed = current.ObservedGeneration > 0, current.ObservedGeneration
	}
	if o.result.Status == Progressing && o.result.Deadline.IsZero() {
		// Nobody knows any more how long that may take.
		o.result.Status = Unknown
	}
	return o, true
}

// isAbout has the root be about no later generation than what it sums up.
func (o *outcome) isAbout(other outcome) {
	if other.isStored && (!o.isStored || other.observed < o.observed) {
		o.isStored, o.observed = true, other.observed
	}
}

// behindType is the message of a condition behind its type; what is healthy needs no words.
func behindType(o outcome) string {
	message := o.result.Message
	if o.result.Status != True {
		message = cmp.Or(message, o.result.Reason)
	}
	if message == "" {
		return ""
	}
	return o.conditionType + ": " + message
}

// validateRoot looks at the root condition; registered are the types of the others.
func (r *Registration[T]) validateRoot(registered map[string]bool) error {
	if r.Root.Type == "" {
		if len(r.Root.Of) > 0 || r.Root.Summary != nil {
			return fmt.Errorf("registration %q: the root condition has no type", r.Name)
		}
		return nil
	}
	errs := []error{r.validateType(r.Root.Type)}
	if registered[r.Root.Type] {
		errs = append(errs, fmt.Errorf("registration %q: the root condition has type %q, which a condition has", r.Name, r.Root.Type))
	}
	for i, of := range r.Root.Of {
		if !registered[of] {
			errs = append(errs, fmt.Errorf("registration %q: the root condition %q sums up %q, which is not registered", r.Name, r.Root.Type, of))
		}
		if slices.Contains(r.Root.Of[:i], of) {
			errs = append(errs, fmt.Errorf("registration %q: the root condition %q sums up %q twice", r.Name, r.Root.Type, of))
		}
	}
	return errors.Join(errs...)
}
