package soak

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Record is the life of one Machine.
type Record struct {
	Cluster client.ObjectKey
	Sick    []Sickness
	// Called are the unhealthy verdicts.
	Called []Saying
	// Verdict is the last verdict: empty if the Machine is healthy.
	Verdict string
	// Marked is when and why its owner was asked to replace it.
	Marked Saying
	// Gone is when its deletion was seen.
	Gone time.Time
	// Released is true once its owner, whom the soak plays, has deleted it.
	Released bool
	// Repairs are its MachineRemediations.
	Repairs []Repair
}

// Sickness is one sickness of a machine.
type Sickness struct {
	Kind Kind
	// Deadline is when Sickbay must act on it.
	Deadline time.Time
	// Ended is when the machine recovered by itself; zero if it never did.
	Ended time.Time
}

// until returns the span from the deadline of a sickness to its end, or to the first of other moments. A moment that never came is
// zero. The end may be before the beginning.
func (s Sickness) until(moments ...time.Time) Span {
	overdue := Span{s.Deadline, s.Ended}
	for _, at := range moments {
		if !at.IsZero() && (overdue.To.IsZero() || at.Before(overdue.To)) {
			overdue.To = at
		}
	}
	return overdue
}

// Saying is a statement about a Machine.
type Saying struct {
	At   time.Time
	What string
}

// Repair is a MachineRemediation, and when it was open.
type Repair struct {
	Name string
	Span
}

// judged records a verdict, which may be missing.
func (r *Record) judged(verdict *metav1.Condition, now time.Time) {
	before := r.Verdict
	if verdict == nil {
		r.Verdict = "there is no verdict"
		return
	}
	if verdict.Status == metav1.ConditionTrue {
		r.Verdict = ""
		return
	}
	r.Verdict = fmt.Sprintf("%s is %s, %s: %s", verdict.Type, verdict.Status, verdict.Reason, verdict.Message)
	if verdict.Status == metav1.ConditionFalse && r.Verdict != before {
		r.Called = append(r.Called, Saying{now, verdict.Message})
	}
}

// repair records whether a MachineRemediation is open.
func (r *Record) repair(name string, open bool, at time.Time) {
	i := slices.IndexFunc(r.Repairs, func(known Repair) bool { return known.Name == name })
	switch {
	case i < 0 && open:
		r.Repairs = append(r.Repairs, Repair{Name: name, Span: Span{From: at}})
	case i >= 0 && !open && r.Repairs[i].To.IsZero():
		r.Repairs[i].To = at
	}
}

// underRepair reports whether a MachineRemediation is open.
func (r *Record) underRepair() bool {
	return slices.ContainsFunc(r.Repairs, func(known Repair) bool { return known.To.IsZero() })
}

// ails reports whether the machine is sick and has not recovered.
func (r *Record) ails() bool {
	n := len(r.Sick)
	return n > 0 && r.Sick[n-1].Ended.IsZero()
}

// overdue reports whether the machine had been sick for long enough at a moment.
func (r *Record) overdue(at time.Time, a Allowances) bool {
	return slices.ContainsFunc(r.Sick, func(s Sickness) bool {
		return !at.Before(s.Deadline) && (s.Ended.IsZero() || !at.After(s.Ended.Add(a.Overlap)))
	})
}

// wasOverdue is like overdue, but ignores recoveries.
func (r *Record) wasOverdue(at time.Time) bool {
	return slices.ContainsFunc(r.Sick, func(s Sickness) bool { return !at.Before(s.Deadline) })
}

// ailing returns when the machine existed and was sick beyond a deadline.
func (r *Record) ailing(end time.Time) []Span {
	var spans []Span
	for _, sick := range r.Sick {
		if s := sick.until(end, r.Gone); s.From.Before(s.To) {
			spans = append(spans, s)
		}
	}
	return spans
}
