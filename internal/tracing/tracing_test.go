package tracing

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

const uid = "0f5cbe55-6f8a-4b8c-9f3e-0a1b2c3d4e5f"

func at(seconds int64) metav1.Time { return metav1.NewTime(time.Unix(1000+seconds, 0)) }

func record() *v1alpha1.MachineRemediation {
	r := &v1alpha1.MachineRemediation{}
	r.UID, r.Namespace, r.Name, r.Spec.MachineRef.Name = uid, "ns", "m-1", "m"
	r.Spec.Finding.Reason, r.Spec.Finding.Since = "NodeNotFound", at(0)
	return r
}

// tell returns the spans that do makes, one per line.
func tell(t *testing.T, do func(*Tracer)) []string {
	t.Helper()
	exporter := tracetest.NewInMemoryExporter()
	do(over(sdktrace.NewSimpleSpanProcessor(exporter), "dev"))
	var lines []string
	for _, s := range exporter.GetSpans() {
		if got := s.SpanContext.TraceID().String(); got != "0f5cbe556f8a4b8c9f3e0a1b2c3d4e5f" {
			t.Errorf("the trace of %s is %s", s.Name, got)
		}
		if root := s.Name == incident; root == s.Parent.IsValid() {
			t.Errorf("the parent of %s is %v", s.Name, s.Parent)
		} else if !root && s.Parent.SpanID() != spanID(uid, incident) {
			t.Errorf("%s is not below the incident", s.Name)
		}
		line := fmt.Sprintf("%s %d-%d", s.Name, s.StartTime.Unix()-1000, s.EndTime.Unix()-1000)
		for _, a := range s.Attributes {
			if a.Key == "sickbay.step" || a.Key == "sickbay.result" || a.Key == "sickbay.outcome" || a.Key == "sickbay.verdict.reason" {
				line += " " + a.Value.AsString()
			}
		}
		lines = append(lines, line+s.Status.Description)
	}
	return lines
}

func TestSpans(t *testing.T) {
	r := record()
	ended := record()
	ended.Status.Attempts = []v1alpha1.RemediationAttempt{
		{Number: 1, Step: "reboot", StartTime: new(at(4)), BeganAt: new(at(5)), EndTime: new(at(20)), Result: v1alpha1.ResultFailed, ObjectRef: &v1alpha1.RemediationObjectReference{}},
		{Number: 2, Step: "replace", StartTime: new(at(25)), BeganAt: new(at(30)), EndTime: new(at(60)), Result: v1alpha1.ResultSucceeded, ObjectRef: &v1alpha1.RemediationObjectReference{}},
	}
	ended.Status.CompletionTime = new(at(70))
	ended.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Reason: v1alpha1.ReasonRecovered}}
	before := ended.DeepCopy()
	before.Status.CompletionTime, before.Status.Attempts[1].EndTime = nil, nil
	tests := map[string]struct {
		do   func(*Tracer)
		want []string
	}{
		"admitted": {
			func(tr *Tracer) { tr.Admitted(r, at(2).Time, at(3).Time) },
			[]string{"verdict 0-0 NodeNotFound", "admission 0-2 NodeNotFound", "record 2-3 NodeNotFound"},
		},
		"admitted once more": {func(tr *Tracer) { tr.Granted(r, at(2).Time, at(3).Time) }, []string{"admission 2-3"}},
		"acted":              {func(tr *Tracer) { tr.Acted(r, "MarkForOwner", "replace", 1, at(4).Time, at(5).Time, nil) }, []string{"act 4-5 replace"}},
		"in vain": {
			func(tr *Tracer) {
				tr.Acted(r, "MarkForOwner", "replace", 1, at(4).Time, at(5).Time, errors.New("refused"))
			},
			[]string{"act 4-5 replacerefused"},
		},
		"the end": {
			func(tr *Tracer) { tr.Stored(before, ended) },
			[]string{"attempt 25-60 replace Succeeded", "proof 30-70 Recovered NodeNotFound", "incident 0-70 Recovered NodeNotFound"},
		},
		"nothing new": {func(tr *Tracer) { tr.Stored(ended, ended) }, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tell(t, tt.do)); diff != "" {
				t.Errorf("spans (-want +got):\n%s", diff)
			}
		})
	}
}

// TestOffCostsNothing: without a tracer nothing is allocated, not even the attributes.
func TestOffCostsNothing(t *testing.T) {
	var off *Tracer
	r, now := record(), at(1).Time
	if n := testing.AllocsPerRun(100, func() {
		off.Admitted(r, now, now)
		off.Granted(r, now, now)
		off.Acted(r, "MarkForOwner", "replace", 1, now, now, nil)
		off.Stored(r, r)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestIDs: IDs are the same in every process, and unique.
func TestIDs(t *testing.T) {
	if TraceID("no UUID") == TraceID("no other") || !TraceID("no UUID").IsValid() {
		t.Error("a UID that is no UUID has no trace of its own")
	}
	first, again := spanID(uid, "attempt/1"), spanID(uid, "attempt/1")
	if first != again || first == spanID(uid, "attempt/2") {
		t.Error("spans are mixed up")
	}
	id, span := ids{}.NewIDs(t.Context())
	if !id.IsValid() || !span.IsValid() {
		t.Error("a span of nobody has no ID")
	}
}
