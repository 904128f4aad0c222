package healthcheck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck/internal/contest"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/ownwrites"
)

// carryOut writes what the plan says, and reports the transitions that were stored.
func (r *Reconciler[T]) carryOut(ctx context.Context, obj T, p plan) error {
	if !p.writes() {
		return nil
	}
	ctx, cancel := beyondDeadline(ctx)
	defer cancel()
	defer r.ownWrites(client.ObjectKeyFromObject(obj))()
	// A check that did not return at its timeout still reads its object.
	obj = obj.DeepCopyObject().(T)
	stored, err := r.write(ctx, obj, p)
	r.report(ctx, obj, stored)
	return err
}

// ownWrites has the events of the writes that follow taken for our own, until the returned function is called. If another
// event came meanwhile, that function sees to the look that it is due.
func (r *Reconciler[T]) ownWrites(key client.ObjectKey) (end func()) {
	if !r.managed {
		return func() {}
	}
	r.writes.Begin(key)
	return func() {
		if r.writes.End(key) {
			r.looks.Event(key)
		}
	}
}

// wrote remembers a write of ours; obj has the version that it returned.
func (r *Reconciler[T]) wrote(obj T) {
	r.expectations.Expect(obj)
	r.writes.Wrote(client.ObjectKeyFromObject(obj), obj.GetResourceVersion())
}

// leave remembers how a write has left conditions of the types; those that are not among them were removed.
func (r *Reconciler[T]) leave(obj T, types []string, conditions []Condition) {
	left := make([]contest.Left, len(types))
	for i, conditionType := range types {
		left[i] = contest.Left{Type: conditionType, Digest: digest(find(conditions, conditionType))}
	}
	r.contests.Wrote(obj, left...)
}

// digest stands for what a condition says.
func digest(c *Condition) uint64 {
	if c == nil {
		return contest.Absent
	}
	return maphash.Comparable(seed, [3]string{string(c.Status), c.Reason, c.Message}) | 1
}

// noticeOverwritten counts the conditions that somebody else has overwritten, and says once that the engine gives way.
func (r *Reconciler[T]) noticeOverwritten(ctx context.Context, obj T, now time.Time) {
	witness, ok := r.store().(Witness[T])
	if !ok {
		return
	}
	stored := r.store().Get(obj)
	for _, o := range r.contests.Look(obj, now, func(conditionType string) uint64 { return digest(find(stored, conditionType)) }) {
		other := witness.OtherWriter(obj, o.Type)
		overwrittenTotal.WithLabelValues(r.Name, o.Type, strings.ToValidUTF8(other, "?")).Inc()
		if !o.News {
			continue
		}
		text := fmt.Sprintf("Condition %s is also written by %s; it is written again after %s, and ever later while that goes on", o.Type, called(other), o.Pause)
		if _, known := r.contested.LoadOrStore(o.Type+separator+other, true); !known {
			ctrl.LoggerFrom(ctx).Error(errContested, text, "condition", o.Type, "writer", other)
		}
		if r.Recorder != nil {
			r.Recorder.Eventf(obj, nil, corev1.EventTypeWarning, ReasonContested, eventAction, "%s", ownwrites.Note(text))
		}
	}
}

// errContested says what is wrong with two writers.
var errContested = errors.New("one condition has two writers")

// called returns a name for the writer of a condition.
func called(fieldManager string) string {
	if fieldManager == "" {
		return "somebody who has the same field manager, such as a second program with this registration"
	}
	return strconv.Quote(fieldManager)
}

// write carries the plan out, and records what the cache must show next. Clocks come first, so that none starts again if the
// rest fails. It returns the transitions that are stored, even if some are not.
func (r *Reconciler[T]) write(ctx context.Context, obj T, p plan) ([]Transition, error) {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	if p.progressChanged && r.Progress != nil {
		if err := r.keep(ctx, obj, p.progress); err != nil {
			return nil, &clockError{err}
		}
	}
	if len(p.remove) > 0 {
		if err := r.store().Remove(ctx, obj, p.remove); err != nil {
			return nil, err
		}
		r.wrote(obj)
		r.leave(obj, p.remove, nil)
	}
	if err := r.apply(ctx, obj, p); err != nil {
		return slices.DeleteFunc(slices.Clone(p.transitions), func(t Transition) bool { return !t.removes() }), err
	}
	return p.transitions, nil
}

// keep writes the clocks. The first write requires the judged version of the object, since the cache may lag and miss a
// stored clock. If the object has changed again at the next try, it changes all the time, and the clocks are stored anyway.
func (r *Reconciler[T]) keep(ctx context.Context, obj T, progress []Progress) error {
	err := r.Progress.Save(ctx, obj, progress)
	if apierrors.IsConflict(err) && r.busy.again(obj) {
		// A Store that relies on the resource version must not take the new one for the judged one.
		written := obj.DeepCopyObject().(T)
		written.SetResourceVersion("")
		if err = r.Progress.Save(ctx, written, progress); err == nil {
			r.wrote(written)
			return nil
		}
	}
	if err != nil {
		return err
	}
	r.busy.forget(obj)
	r.wrote(obj)
	return nil
}

// apply writes the conditions, if that is due.
func (r *Reconciler[T]) apply(ctx context.Context, obj T, p plan) error {
	if !p.applies() {
		return nil
	}
	if err := r.store().Apply(ctx, obj, p.apply); err != nil {
		return err
	}
	r.wrote(obj)
	r.leave(obj, p.judged, p.apply)
	if !p.changed {
		r.reworded.note(obj, r.Clock.Now())
	}
	return nil
}

const (
	// rewordInterval is the minimum time between two writes that change nothing but words: a message that differs each time,
	// such as a network error with the local port, would be written at each look.
	rewordInterval = 10 * time.Second
	// mostRestated is after how many such writes in a row a change of reason must wait. Programs act on reasons, so a
	// changed one is written at once, but not one that alternates, such as that of a check that names the first problem in
	// a map.
	mostRestated = 3
)

// rewordings remembers the objects with recent writes that changed only words, client.ObjectKey to rewording. The zero
// value is ready. It only delays.
type rewordings struct{ sync.Map }

type rewording struct {
	uid types.UID
	// at is when the last such write was, and inARow how many followed each other closely.
	at     time.Time
	inARow int
}

// lately returns how many writes of only words there were in a row, and until when they count.
func (r *rewordings) lately(obj client.Object, now time.Time) (inARow int, until time.Time) {
	key := client.ObjectKeyFromObject(obj)
	kept, found := r.Load(key)
	if !found {
		return 0, time.Time{}
	}
	last := kept.(rewording)
	if until := last.at.Add(rewordInterval); last.uid == obj.GetUID() && now.Before(until) {
		return last.inARow, until
	}
	r.CompareAndDelete(key, last)
	return 0, time.Time{}
}

// note records a write that changed only words.
func (r *rewordings) note(obj client.Object, now time.Time) {
	before, _ := r.lately(obj, now)
	r.Store(client.ObjectKeyFromObject(obj), rewording{obj.GetUID(), now, before + 1})
}

// putOff postpones the writes of the plan if they change only words and there were such writes lately.
func (p *plan) putOff(inARow int, until time.Time) {
	most := 1
	if p.restated {
		most = mostRestated
	}
	if p.changed || !p.applies() || inARow < most {
		return
	}
	p.restated, p.reworded = false, false
	for _, t := range p.transitions {
		// The metrics count what is stored.
		if i := slices.IndexFunc(p.apply, func(c Condition) bool { return c.Type == t.To.Type }); i >= 0 {
			p.apply[i] = t.From
		}
	}
	p.transitions = slices.DeleteFunc(p.transitions, func(t Transition) bool { return !t.removes() })
	p.recheckAt = Earliest(p.recheckAt, until)
}

// Transition is a change of a stored condition.
type Transition struct {
	// From is the condition before the change; it is empty if there was none.
	From Condition
	// To is the condition as stored now; it is empty if it was removed.
	To Condition
	// Result is the merged result behind To, in the checks' polarity: see
	// ConditionChecks.Negative.
	Result Result
	// At is the time right after the change was stored.
	At time.Time
}

// removes reports whether the condition was removed.
func (t Transition) removes() bool { return t.To.Type == "" }

// eventAction is the action of all Events of the engine, in the sense of
// events.k8s.io.
const eventAction = "HealthCheck"

// report counts and logs each transition, records its Event, and calls OnTransition.
func (r *Reconciler[T]) report(ctx context.Context, obj T, transitions []Transition) {
	for _, transition := range transitions {
		transition.At = r.Clock.Now()
		condition := transition.To
		if transition.removes() {
			condition.Type = transition.From.Type
		}
		if transition.From.Status != condition.Status {
			transitionsTotal.WithLabelValues(r.Name, condition.Type, string(transition.From.Status), string(condition.Status)).Inc()
			r.recordEvent(obj, condition)
		}
		ctrl.LoggerFrom(ctx).Info("Condition changed", "condition", condition.Type, "from", transition.From.Status,
			"to", condition.Status, "reason", condition.Reason, "message", condition.Message)
		if r.OnTransition != nil {
			// Neither a panic nor runtime.Goexit must lose the transitions after this one: they are stored already.
			_, _ = apart(ctx, func() struct{} {
				r.OnTransition(ctx, obj, transition)
				return struct{}{}
			})
		}
	}
}

// recordEvent records an Event for the new status of a condition; a removed condition has none.
func (r *Reconciler[T]) recordEvent(obj T, condition Condition) {
	if r.Recorder == nil || condition.Status == "" {
		return
	}
	eventType := corev1.EventTypeNormal
	if r.isBad(condition) {
		eventType = corev1.EventTypeWarning
	}
	reason := cmp.Or(condition.Reason, reasonNotGiven)
	text := condition.Type + " is " + string(condition.Status)
	if condition.Message != "" {
		text += ": " + condition.Message
	}
	r.Recorder.Eventf(obj, nil, eventType, reason, eventAction, "%s", ownwrites.Note(text))
}
