package tracing

import (
	"fmt"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// Admitted tells of a machine that got its record: of the verdict, of how long it waited, and of the write, which began at a time.
func (t *Tracer) Admitted(r *v1alpha1.MachineRemediation, began, now time.Time) {
	if t == nil {
		return
	}
	since := r.Spec.Finding.Since.Time
	about := append(subject(r), attribute.String("sickbay.verdict.reason", r.Spec.Finding.Reason))
	t.tell(r.UID, span{what: "verdict", name: "verdict", from: since, to: since, attributes: about})
	t.tell(r.UID, span{what: "admission", name: "admission", from: since, to: latest(since, began), attributes: about})
	t.tell(r.UID, span{what: "record", name: "record", from: began, to: now, attributes: about})
}

// Granted tells of a record that got a slot once more.
func (t *Tracer) Granted(r *v1alpha1.MachineRemediation, began, now time.Time) {
	if t == nil {
		return
	}
	about := append(subject(r), attribute.Int("sickbay.grant", int(r.Spec.Grant)))
	t.tell(r.UID, span{what: fmt.Sprint("grant/", r.Spec.Grant), name: "admission", from: began, to: now, attributes: about})
}

// Acted tells of a write that carries out what an attempt is for, or takes it back, and of what came of it.
func (t *Tracer) Acted(r *v1alpha1.MachineRemediation, act, step string, attempt int32, began, now time.Time, err error) {
	if t == nil {
		return
	}
	about := append(subject(r), attribute.String("sickbay.act", act), attribute.String("sickbay.step", step), attribute.Int("sickbay.attempt", int(attempt)))
	what := fmt.Sprint("act/", act, "/", attempt, "/", began.UnixNano())
	t.tell(r.UID, span{what: what, name: "act", from: began, to: now, attributes: about, err: err})
}

// Stored tells what is over by a write of a status: attempts, the proof that they have helped, and the incident.
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
	for i := range r.Status.Attempts {
		if r.Status.Attempts[i].Number == number {
			return r.Status.Attempts[i].EndTime != nil
		}
	}
	return false
}

func (t *Tracer) attempt(r *v1alpha1.MachineRemediation, attempt *v1alpha1.RemediationAttempt) {
	about := append(subject(r), attribute.String("sickbay.step", attempt.Step), attribute.Int("sickbay.attempt", int(attempt.Number)),
		attribute.String("sickbay.result", string(attempt.Result)))
	t.tell(r.UID, span{
		what: fmt.Sprint("attempt/", attempt.Number), name: "attempt", from: attempt.StartTime.Time, to: attempt.EndTime.Time, attributes: about,
	})
}

// ended tells of the proof, from the last act until the end, and of the whole.
func (t *Tracer) ended(r *v1alpha1.MachineRemediation, end time.Time) {
	outcome := ""
	if c := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.ConditionSucceeded); c != nil {
		outcome = c.Reason
	}
	about := append(subject(r), attribute.String("sickbay.outcome", outcome), attribute.String("sickbay.verdict.reason", r.Spec.Finding.Reason))
	if from := lastAct(r); !from.IsZero() {
		t.tell(r.UID, span{what: "proof", name: "proof", from: from, to: latest(from, end), attributes: about})
	}
	since := r.Spec.Finding.Since.Time
	t.tell(r.UID, span{what: incident, name: incident, from: since, to: latest(since, end), attributes: about})
}

// lastAct is when the last attempt began that was carried out; zero if none was.
func lastAct(r *v1alpha1.MachineRemediation) time.Time {
	for i := len(r.Status.Attempts) - 1; i >= 0; i-- {
		if attempt := &r.Status.Attempts[i]; attempt.ObjectRef != nil && attempt.StartTime != nil {
			return attempt.StartTime.Time
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

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
