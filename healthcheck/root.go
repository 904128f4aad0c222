package healthcheck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// Root is a condition that sums up others of its registration, as Ready does. The engine merges their results of the same look
// with Merge, in the checks' polarity: a Degraded that is True makes the root False. A condition that does not apply, or is
// skipped, does not count. One that is left alone, or delayed by Damping, counts as it is stored. If all are left alone, so is
// the root; if none counts, it is removed. While nothing is known yet of a condition, because of a LaterError or WhileUndecided,
// the root is left alone, too, unless another condition makes it False or Unknown: nothing is healthy by omission.
type Root struct {
	// Type is the condition type. Without one there is no root condition.
	Type string
	// Of lists the types of the conditions that it sums up. The default is all of the registration.
	Of []string
	// Summary returns the message of the condition. The names of its results are the types of the conditions. The default is the
	// messages of all conditions with the worst status, or else their reasons, each after its type: "Upgraded: 2 of 3; Open: no
	// answer".
	Summary Summary
}

// sums reports whether the root condition sums up a condition type.
func (r Root) sums(conditionType string) bool {
	return len(r.Of) == 0 || slices.Contains(r.Of, conditionType)
}

// root returns the outcome of the root condition, made from those of the others in the order of the registration.
func (r *Reconciler[T]) root(ctx context.Context, run run[T], outcomes []outcome, stored []Condition) outcome {
	root := outcome{conditionType: r.Root.Type, applicability: LeaveAlone}
	made := ConditionChecks[T]{Type: r.Root.Type, Summary: r.Root.Summary}
	var results []Result
	open := false // A condition that counts is not known yet.
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

// becoming returns what happens to a root condition with a status. Open says that a condition that it sums up is not known yet.
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

// counted returns o as it counts for the root condition, and whether it does. Current is the stored condition in the checks'
// polarity, or nil.
func (o outcome) counted(current *Condition) (outcome, bool) {
	switch {
	case o.applicability == DoesNotApply || (o.applicability == LeaveAlone && current == nil):
		return o, false
	case o.applicability == LeaveAlone:
		o.result = Result{Status: current.Status, Reason: current.Reason, Message: current.Message, Codes: current.Codes}
		o.isStored, o.observed = current.ObservedGeneration > 0, current.ObservedGeneration
	}
	if o.result.Status == Progressing && o.result.Deadline.IsZero() {
		// It is no longer known how long that may take.
		o.result.Status = Unknown
	}
	return o, true
}

// isAbout limits the root's generation to that of a condition that it sums up.
func (o *outcome) isAbout(other outcome) {
	if other.isStored && (!o.isStored || other.observed < o.observed) {
		o.isStored, o.observed = true, other.observed
	}
}

// behindType returns the message of a condition after its type; a healthy condition needs no words.
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

// validateRoot validates the root condition; registered are the types of the others.
func (r *Registration[T]) validateRoot(registered map[string]bool) error {
	if r.Root.Type == "" {
		if len(r.Root.Of) > 0 || r.Root.Summary != nil {
			return fmt.Errorf("registration %q: the root condition has no type", r.Name)
		}
		return nil
	}
	errs := []error{r.validateType(r.Root.Type)}
	if registered[r.Root.Type] {
		errs = append(errs, fmt.Errorf("registration %q: the root condition has type %q, which another condition already has", r.Name, r.Root.Type))
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
