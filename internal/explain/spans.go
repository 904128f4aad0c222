package explain

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// brief is the longest wait that gets no span of its own.
const brief = 2 * time.Second

// spans divides the duration of the repair into parts, from when the machine fell sick.
func (r *Record) spans(now time.Time) []Span {
	var s spans
	status := &r.Record.Status
	s.at = r.Record.Spec.Finding.Since.Time
	if s.at.IsZero() || s.at.After(r.Record.CreationTimestamp.Time) {
		s.at = r.Record.CreationTimestamp.Time
	}
	s.until(r.Record.CreationTimestamp.Time, SpanSick, "sick")
	for i := range status.Attempts {
		s.attempt(r, &status.Attempts[i], now)
	}
	if status.RecoveryTime != nil {
		s.until(status.RecoveryTime.Time, SpanWaiting, "until it is healthy")
	}
	s.end(r, now)
	return s.all
}

type spans struct {
	all []Span
	at  time.Time
}

// until adds a span up to a time; a gap that is too short to be seen becomes part of the next span.
func (s *spans) until(to time.Time, kind SpanKind, label string) {
	if to.Sub(s.at) > brief {
		s.all = append(s.all, Span{Kind: kind, Label: label, From: s.at, To: to})
		s.at = to
	}
}

func (s *spans) attempt(r *Record, attempt *v1alpha1.RemediationAttempt, now time.Time) {
	if attempt.StartTime == nil {
		return
	}
	s.until(attempt.StartTime.Time, SpanWaiting, "waits")
	one := Span{Kind: SpanAttempt, Label: attemptName(r.Record, attempt), From: s.at, To: now, Open: attempt.EndTime == nil, Result: string(attempt.Result)}
	if step, _ := ladder.StepNamed(r.Record, attempt.Step); !ladder.Acts(step.Action) {
		one.Kind = SpanWaiting
	}
	if attempt.EndTime != nil {
		one.To = attempt.EndTime.Time
	}
	if one.To.Before(one.From) {
		return
	}
	s.all, s.at = append(s.all, one), one.To
}

// end adds the span after the last attempt.
func (s *spans) end(r *Record, now time.Time) {
	status := &r.Record.Status
	to, open := now, true
	if status.CompletionTime != nil {
		to, open = status.CompletionTime.Time, false
	}
	kind, label := SpanWaiting, "waits"
	switch {
	case status.RecoveryTime != nil:
		kind, label = SpanProbation, "probation"
	case status.Phase == v1alpha1.RemediationHeld:
		kind, label = SpanHeld, "a person decides"
	case status.Phase == v1alpha1.RemediationActing && len(s.all) > 0 && s.all[len(s.all)-1].Open:
		return
	}
	n := len(s.all)
	s.until(to, kind, label)
	if len(s.all) > n {
		s.all[n].Open = open
	}
}
