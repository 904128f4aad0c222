package cel_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
	"github.com/sickbay-dev/sickbay/healthcheck/checks/cel"
)

// m is a part of an object.
type m = map[string]any

func compile(t testing.TB, rule cel.Rule) *cel.Program {
	t.Helper()
	program, err := cel.Compile(rule)
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// phases is a rule with all three expressions.
var phases = cel.Rule{Current: "status.phase == 'Ready'", InProgress: "status.phase == 'Creating'", Failed: "status.phase == 'Broken'"}

// TestVerdict tests the order of the expressions.
func TestVerdict(t *testing.T) {
	all := cel.Rule{Current: "data.current", InProgress: "data.inProgress", Failed: "data.failed"}
	inProgress := healthcheck.Result{Status: healthcheck.Progressing, Reason: cel.ReasonInProgress, Message: "The object is in progress", Within: 10 * time.Minute}
	failed := healthcheck.Result{Status: healthcheck.False, Reason: cel.ReasonFailed, Message: "The object has failed"}
	current := healthcheck.Result{Status: healthcheck.True, Reason: cel.ReasonCurrent}
	tests := map[string]struct {
		rule   cel.Rule
		object m
		want   healthcheck.Result
	}{
		"all hold":              {all, m{"data": m{"current": true, "inProgress": true, "failed": true}}, inProgress},
		"failed before current": {all, m{"data": m{"current": true, "inProgress": false, "failed": true}}, failed},
		"current":               {all, m{"data": m{"current": true, "inProgress": false, "failed": false}}, current},
		"none holds":            {all, m{"data": m{"current": false, "inProgress": false, "failed": false}}, inProgress},
		"current alone":         {cel.Rule{Current: "data.current"}, m{"data": m{"current": true}}, current},
		"current alone, not":    {cel.Rule{Current: "data.current"}, m{"data": m{"current": false}}, inProgress},
		"what comes later is not asked": {
			all, m{"data": m{"inProgress": false, "failed": true}}, failed,
		},
		"the time of the rule": {
			cel.Rule{Current: "false", Within: metav1.Duration{Duration: time.Minute}}, m{},
			healthcheck.Result{Status: healthcheck.Progressing, Reason: cel.ReasonInProgress, Message: "The object is in progress", Within: time.Minute},
		},
		"a clock for the generation": {
			phases, m{"metadata": m{"generation": int64(7)}, "status": m{"phase": "Creating"}},
			healthcheck.Result{Status: healthcheck.Progressing, Reason: cel.ReasonInProgress, Message: "The object is in progress", Within: 10 * time.Minute, Cause: "generation 7"},
		},
		"empty lists": {
			cel.Rule{Failed: "status.conditions.filter(c, c.type == 'Ready').all(c, c.status == 'False')", Current: "true"},
			m{"status": m{"conditions": []any{}}}, failed,
		},
		"an absent list with exists": {
			cel.Rule{Current: "status.?conditions.orValue([]).exists(c, c.type == 'Ready' && c.status == 'True')"},
			m{"status": m{}}, inProgress,
		},
		"int and double": {cel.Rule{Current: "status.share > 0.5 && status.n < 1.5"}, m{"status": m{"share": 0.75, "n": int64(1)}}, current},
		"a named field":  {cel.Rule{Current: "type == 'Opaque'", Fields: []string{"type"}}, m{"type": "Opaque"}, current},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := compile(t, tt.rule).Evaluate(t.Context(), &unstructured.Unstructured{Object: tt.object})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestGeneration tests when a status is about another generation.
func TestGeneration(t *testing.T) {
	tests := map[string]struct {
		generation, observed any
		want                 healthcheck.Status
	}{
		"the same":                {int64(2), int64(2), healthcheck.True},
		"earlier":                 {int64(2), int64(1), healthcheck.Progressing},
		"later, after a restore":  {int64(1), int64(2), healthcheck.Progressing},
		"minus one, as Flux has":  {int64(1), int64(-1), healthcheck.Progressing},
		"not told":                {int64(2), nil, healthcheck.True},
		"no generation":           {nil, int64(1), healthcheck.True},
		"a text":                  {int64(2), "1", healthcheck.True},
		"from YAML":               {2.0, 1.0, healthcheck.Progressing},
		"from YAML, the same":     {2.0, int64(2), healthcheck.True},
		"no whole number":         {int64(2), 1.5, healthcheck.True},
		"a number beyond all":     {int64(2), 1e300, healthcheck.True},
		"an object in its place":  {int64(2), m{"x": int64(1)}, healthcheck.True},
		"a generation that is no": {"2", int64(1), healthcheck.True},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			object := m{"metadata": m{}, "status": m{}}
			if tt.generation != nil {
				object["metadata"] = m{"generation": tt.generation}
			}
			if tt.observed != nil {
				object["status"] = m{"observedGeneration": tt.observed}
			}
			got, err := compile(t, cel.Rule{Current: "true"}).Evaluate(t.Context(), &unstructured.Unstructured{Object: object})
			if err != nil || got.Status != tt.want {
				t.Errorf("got %+v, %v, want %s", got, err, tt.want)
			}
			if got.Status == healthcheck.Progressing && got.Reason != checks.ReasonNotObserved {
				t.Errorf("got reason %s", got.Reason)
			}
		})
	}
}

// TestOutdated: no expression is evaluated on an outdated status.
func TestOutdated(t *testing.T) {
	rule := cel.Rule{Current: "status.nothing", InProgress: "status.nothing", Failed: "status.nothing", Message: "status.nothing", Codes: "status.nothing"}
	got, err := compile(t, rule).Evaluate(t.Context(), &unstructured.Unstructured{Object: m{"metadata": m{"generation": int64(3)}, "status": m{"observedGeneration": int64(2)}}})
	if err != nil {
		t.Fatal(err)
	}
	want := healthcheck.Result{
		Status: healthcheck.Progressing, Reason: checks.ReasonNotObserved, Message: "The latest change of the object has not been observed yet",
		Within: 10 * time.Minute, Cause: "generation 3",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestEvaluateFails tests the errors of expressions that do not fit an object.
func TestEvaluateFails(t *testing.T) {
	object := m{"kind": "Backup", "status": m{"n": int64(1), "list": []any{"a"}, "none": nil}}
	tests := map[string]struct {
		rule cel.Rule
		want string
	}{
		"no such field":                {cel.Rule{Current: "status.phase == 'Ready'"}, "current: 1:7: no such key: phase"},
		"on the second line":           {cel.Rule{Current: "status.n == 1 &&\n  status.phase.x == 2"}, "current: 2:15: no such key: phase"},
		"in a macro":                   {cel.Rule{Current: "status.list.all(x, x.ready)"}, "current: 1:21: no such key: ready"},
		"no spec":                      {cel.Rule{Current: "spec.size == 1"}, "current: 1:5: the object has no field 'spec'"},
		"no spec to ask about":         {cel.Rule{Current: "has(spec.size)"}, "current: 1:4: the object has no field 'spec'"},
		"no spec, optional":            {cel.Rule{Current: "spec.?size.hasValue()"}, "current: 1:5: the object has no field 'spec'"},
		"no data alone":                {cel.Rule{Current: "data == null"}, "current: 1:1: the object has no field 'data'"},
		"a number for a bool":          {cel.Rule{Current: "status.n"}, "current: 1:7: gives int, must give bool"},
		"null for a bool":              {cel.Rule{Current: "status.none"}, "current: 1:7: gives null_type, must give bool"},
		"beyond the list":              {cel.Rule{Current: "status.list[3] == 'a'"}, "current: 1:12: index out of bounds: 3"},
		"division":                     {cel.Rule{Current: "1 / (status.n - 1) == 1"}, "current: 1:3: division by zero"},
		"inProgress, though current":   {cel.Rule{Current: "true", InProgress: "status.busy"}, "inProgress: 1:7: no such key: busy"},
		"failed, though current":       {cel.Rule{Current: "true", Failed: "status.broken"}, "failed: 1:7: no such key: broken"},
		"a pattern found in an object": {cel.Rule{Current: "'x'.matches(status.list[0] + '[')"}, "current: 1:12: error parsing regexp: missing closing ]: `[`"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := compile(t, tt.rule).Evaluate(t.Context(), &unstructured.Unstructured{Object: object})
			if err == nil {
				t.Fatalf("got %+v", got)
			}
			if diff := cmp.Diff(healthcheck.Result{}, got); diff != "" {
				t.Errorf("there is a result beside the error: %s", diff)
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestNoObject: without an object, Evaluate returns an error.
func TestNoObject(t *testing.T) {
	program := compile(t, cel.Rule{Current: "true"})
	for name, object := range map[string]*unstructured.Unstructured{"nil": nil, "empty": {}} {
		if got, err := program.Evaluate(t.Context(), object); err == nil {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

// TestWords tests messages and codes.
func TestWords(t *testing.T) {
	rule := phases
	rule.Message = "status.message"
	rule.Codes = "status.codes"
	tests := map[string]struct {
		status m
		want   healthcheck.Result
	}{
		"failed": {
			m{"phase": "Broken", "message": "Disk is full", "codes": []any{"ERR_B", "ERR_A", "ERR_B"}},
			healthcheck.Result{Status: healthcheck.False, Reason: cel.ReasonFailed, Message: "Disk is full", Codes: []string{"ERR_A", "ERR_B"}},
		},
		"in progress": {
			m{"phase": "Creating", "message": "Waiting for a disk", "codes": []any{}},
			healthcheck.Result{Status: healthcheck.Progressing, Reason: cel.ReasonInProgress, Message: "Waiting for a disk", Within: 10 * time.Minute},
		},
		"current has no codes": {
			m{"phase": "Ready", "message": "All is well"},
			healthcheck.Result{Status: healthcheck.True, Reason: cel.ReasonCurrent, Message: "All is well"},
		},
		"an empty message": {
			m{"phase": "Broken", "message": "", "codes": []any{"ERR_A"}},
			healthcheck.Result{Status: healthcheck.False, Reason: cel.ReasonFailed, Message: "The object has failed", Codes: []string{"ERR_A"}},
		},
		"no message, though failed": {
			m{"phase": "Broken", "codes": []any{"ERR_A"}},
			healthcheck.Result{Status: healthcheck.False, Reason: cel.ReasonFailed, Message: "The object has failed (message: 1:7: no such key: message)", Codes: []string{"ERR_A"}},
		},
		"no message, though current": {
			m{"phase": "Ready"},
			healthcheck.Result{Status: healthcheck.True, Reason: cel.ReasonCurrent, Message: "(message: 1:7: no such key: message)"},
		},
		"neither is of its type": {
			m{"phase": "Broken", "message": int64(7), "codes": "ERR_A"},
			healthcheck.Result{
				Status: healthcheck.False, Reason: cel.ReasonFailed,
				Message: "The object has failed (message: 1:7: gives int, must give string; codes: 1:7: gives string, must give list(string))",
			},
		},
		"one code is no string": {
			m{"phase": "Broken", "message": "Bad", "codes": []any{"ERR_A", int64(7)}},
			healthcheck.Result{Status: healthcheck.False, Reason: cel.ReasonFailed, Message: "Bad (codes: 1:7: gives list(int), must give list(string))"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := compile(t, rule).Evaluate(t.Context(), &unstructured.Unstructured{Object: m{"status": tt.status}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
