package tracing

import (
	"fmt"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// Admitted sends the spans of an admission: the verdict, the wait, and the write of the record, which started at began.
func (t *Tracer) Admitted(r *v1alpha1.MachineRemediation, began, now time.Time) {
	if t == nil {
		return
	}
	since := r.Spec.Finding.Since.Time
	about := append(subject(r), attribute.String("sickbay.verdict.reason", r.Spec.Finding.Reason))
	t.tell(r.UID, span{what: "verdict", name: "verdict", from: since, to: since, attributes: about})
	t.tell(r.UID, span{what: "admission", name: "admission", from: since, to: slices.MaxFunc([]time.Time{since, began}, time.Time.Compare), attributes: about})
	t.tell(r.UID, span{what: "record", name: "record", from: began, to: now, attributes: about})
}

// Granted sends the span of a record that got another slot.
func (t *Tracer) Granted(r *v1alpha1.MachineRemediation, began, now time.Time) {
	if t == nil {
		return
	}
	about := append(subject(r), attribute.Int("sickbay.grant", int(r.Spec.Grant)))
	t.tell(r.UID, span{what: fmt.Sprint("grant/", r.Spec.Grant), name: "admission", from: began, to: now, attributes: about})
}

// Acted sends the span of a write that carries out an attempt or takes it back, with its result.
func (t *Tracer) Acted(r *v1alpha1.MachineRemediation, act, step string, attempt int32, began, now time.Time, err error) {
	if t == nil {
		return
	}
	about := append(subject(r), attribute.String("sickbay.act", act), attribute.String("sickbay.step", step), attribute.Int("sickbay.attempt", int(attempt)))
	what := fmt.Sprint("act/", act, "/", attempt, "/", began.UnixNano())
	t.tell(r.UID, span{what: what, name: "act", from: began, to: now, attributes: about, err: err})
}

// Stored sends the spans of what a status write ends: attempts, the proof that they helped, and the incident.
func (t *Tracer) Stored(before, after *v1alpha1.MachineRemediation) {
	if t == nil {
		return
	}
	for i := range after.Status.Attempts {
		if attempt := &after.Status.Attempts[i]; attempt.EndTime != nil && attempt.StartTime != nil && !wasOver(before, attempt.Number) {
			t.attempt(after, attempt)
		}
	}
	if end := after.Status.CompletionTime; end != nil && before.Status.CompletionTime == nil {
		t.ended(after, end.Time)
	}
}

func wasOver(r *v1alpha1.MachineRemediation, number int32) bool {
	attempt := ladder.Numbered(r, number)
	return attempt != nil && attempt.EndTime != nil
}

func (t *Tracer) attempt(r *v1alpha1.MachineRemediation, attempt *v1alpha1.RemediationAttempt) {
	about := append(subject(r), attribute.String("sickbay.step", attempt.Step), attribute.Int("sickbay.attempt", int(attempt.Number)),
		attribute.String("sickbay.result", string(attempt.Result)))
	t.tell(r.UID, span{
		what: fmt.Sprint("attempt/", attempt.Number), name: "attempt", from: attempt.StartTime.Time, to: attempt.EndTime.Time, attributes: about,
	})
}

// ended sends the spans of the proof, from the last act to the end, and of the incident.
func (t *Tracer) ended(r *v1alpha1.MachineRemediation, end time.Time) {
	about := append(subject(r), attribute.String("sickbay.outcome", ladder.Success(&r.Status).Reason), attribute.String("sickbay.verdict.reason", r.Spec.Finding.Reason))
	if from := lastAct(r); !from.IsZero() {
		t.tell(r.UID, span{what: "proof", name: "proof", from: from, to: slices.MaxFunc([]time.Time{from, end}, time.Time.Compare), attributes: about})
	}
	since := r.Spec.Finding.Since.Time
	if r.Spec.AskedFor() {
		since = r.CreationTimestamp.Time
	}
	t.tell(r.UID, span{what: incident, name: incident, from: since, to: slices.MaxFunc([]time.Time{since, end}, time.Time.Compare), attributes: about})
}

// lastAct returns when the last attempt that acted began; zero if none did.
func lastAct(r *v1alpha1.MachineRemediation) time.Time {
	for i := len(r.Status.Attempts) - 1; i >= 0; i-- {
		if attempt := &r.Status.Attempts[i]; attempt.ActBegun() {
			return attempt.BeganAt.Time
		}
	}
	return time.Time{}
}

func subject(r *v1alpha1.MachineRemediation) []attribute.KeyValue {
	return []attribute.KeyValue{
		attribute.String("k8s.namespace.name", r.Namespace), attribute.String("sickbay.cluster", r.Spec.ClusterName),
		attribute.String("sickbay.machine", r.Spec.MachineRef.Name), attribute.String("sickbay.machinehealthcheck", r.Spec.HealthCheckRef.Name),
		attribute.String("sickbay.remediation", r.Name),
	}
}
