package healthcheck

import (
	"cmp"
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
)

// carryOut writes what the plan says, and tells of it.
func (r *Reconciler[T]) carryOut(ctx context.Context, obj T, p plan) error {
	if !p.writes() {
		return nil
	}
	ctx, cancel := beyondDeadline(ctx)
	defer cancel()
	// A check that has not ended at its timeout still reads its object.
	obj = obj.DeepCopyObject().(T)
	stored, err := r.write(ctx, obj, p)
	r.report(ctx, obj, stored)
	return err
}

// write carries the plan out, and notes what the cache is to show next. Clocks come
// first, so that none begins anew if the rest fails. It returns the transitions that are
// stored, also if not all of them are.
func (r *Reconciler[T]) write(ctx context.Context, obj T, p plan) ([]Transition, error) {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	if p.progressChanged && r.Progress != nil {
		if err := r.keep(ctx, obj, p.progress); err != nil {
			return nil, err
		}
	}
	if len(p.remove) > 0 {
		if err := r.Store.Remove(ctx, obj, p.remove); err != nil {
			return nil, err
		}
		r.written.Note(obj)
	}
	if err := r.apply(ctx, obj, p); err != nil {
		return slices.DeleteFunc(slices.Clone(p.transitions), func(t Transition) bool { return !t.removes() }), err
	}
	return p.transitions, nil
}

// keep writes the clocks. They are bound to the object as it was judged, since the cache may be late, and a clock there that
// it does not show. An object that has changed once more at the next try is one that changes all the time: what is true of
// it is stored nevertheless.
func (r *Reconciler[T]) keep(ctx context.Context, obj T, progress []Progress) error {
	err := r.Progress.Save(ctx, obj, progress)
	if apierrors.IsConflict(err) && r.busy.again(obj) {
		// A Store that relies on the version must not take the new one for the one that was judged.
		written := obj.DeepCopyObject().(T)
		written.SetResourceVersion("")
		if err = r.Progress.Save(ctx, written, progress); err == nil {
			r.written.Note(written)
			return nil
		}
	}
	if err != nil {
		return err
	}
	r.busy.forget(obj)
	r.written.Note(obj)
	return nil
}

// apply writes the conditions, if that is due.
func (r *Reconciler[T]) apply(ctx context.Context, obj T, p plan) error {
	if !p.changed && !p.reworded {
		return nil
	}
	if err := r.Store.Apply(ctx, obj, p.apply); err != nil {
		return err
	}
	r.written.Note(obj)
	if !p.changed {
		r.reworded.note(obj, r.Clock.Now())
	}
	return nil
}

// EventAction is the action of all Events of the engine, in the sense of
// events.k8s.io.
const EventAction = "HealthCheck"

// report counts, logs and tells each transition once, and hands it on.
func (r *Reconciler[T]) report(ctx context.Context, obj T, transitions []Transition) {
	for _, transition := range transitions {
		transition.At = r.Clock.Now()
		condition := transition.To
		if transition.removes() {
			condition.Type = transition.From.Type
		}
		if transition.From.Status != condition.Status {
			transitionsTotal.WithLabelValues(r.Name, condition.Type, string(transition.From.Status), string(condition.Status)).Inc()
			r.tell(obj, condition)
		}
		ctrl.LoggerFrom(ctx).Info("Condition changed", "condition", condition.Type, "from", transition.From.Status,
			"to", condition.Status, "reason", condition.Reason, "message", condition.Message)
		if r.OnTransition != nil {
			r.OnTransition(ctx, obj, transition)
		}
	}
}

// maxEvent is how long the text of an Event may be, in bytes.
const maxEvent = 1024

// tell records an Event on a change of the status.
func (r *Reconciler[T]) tell(obj T, condition Condition) {
	if r.Recorder == nil || condition.Status == "" {
		return
	}
	eventType := corev1.EventTypeNormal
	if condition.Status == False {
		eventType = corev1.EventTypeWarning
	}
	reason := cmp.Or(condition.Reason, ReasonNotGiven)
	text := condition.Type + " is " + string(condition.Status)
	if condition.Message != "" {
		text += ": " + condition.Message
	}
	r.Recorder.Eventf(obj, nil, eventType, reason, EventAction, "%s", shortened(text, maxEvent))
}
