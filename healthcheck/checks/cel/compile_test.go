package cel_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/healthcheck/checks/cel"
)

// TestCompileRefuses: Compile returns an error for rules that cannot work.
func TestCompileRefuses(t *testing.T) {
	tests := map[string]struct {
		rule cel.Rule
		want string
	}{
		"no current":                {cel.Rule{Failed: "status.broken"}, "current: must be given"},
		"blanks for current":        {cel.Rule{Current: " \n"}, "current: must be given"},
		"syntax":                    {cel.Rule{Current: "status."}, "current: 1:8: Syntax error: no viable alternative at input '.'"},
		"a line that ends too soon": {cel.Rule{Current: "'\n"}, `current: 1:1: Syntax error: token recognition error at: ''\n'`},
		"it ends too soon":          {cel.Rule{Current: "status.ready &&"}, "current: 1:16: Syntax error: mismatched input the end"},
		"an open string":            {cel.Rule{Current: `kind == "Pod`}, `current: 1:9: Syntax error: token recognition error at: '"Pod'`},
		"an unknown variable":       {cel.Rule{Current: "1 == 1 && stats.ready"}, "current: 1:11: undeclared reference to 'stats'"},
		"self, which Flux has not":  {cel.Rule{Current: "self.status.ready"}, "current: 1:1: undeclared reference to 'self'"},
		"a field not named":         {cel.Rule{Current: "webhooks.size() > 0"}, "current: 1:1: undeclared reference to 'webhooks'"},
		"the third line":            {cel.Rule{Current: "true &&\n  status.ready &&\n  zz"}, "current: 3:3: undeclared reference to 'zz'"},
		"an unknown function":       {cel.Rule{Current: "ready(status)"}, "current: 1:6: undeclared reference to 'ready'"},
		"has of a whole field":      {cel.Rule{Current: "has(status)"}, "current: 1:5: invalid argument to has() macro"},
		"no extension of lists":     {cel.Rule{Current: "status.list.distinct().size() == 1"}, "current: 1:21: undeclared reference to 'distinct'"},
		"no JSON":                   {cel.Rule{Current: "json.encode(status) == ''"}, "current: 1:1: undeclared reference to 'json'"},
		"a string for a bool":       {cel.Rule{Current: "kind"}, "current: 1:1: gives string, must give bool"},
		"a number for a bool":       {cel.Rule{Current: "true", InProgress: "size(status.list)"}, "inProgress: 1:5: gives int, must give bool"},
		"an optional bool":          {cel.Rule{Current: "status.?ready"}, "current: 1:7: gives optional_type(dyn), must give bool"},
		"a bool for a string":       {cel.Rule{Current: "true", Message: "has(status.message)"}, "message: 1:4: gives bool, must give string"},
		"a string for a list":       {cel.Rule{Current: "true", Codes: "'ERR_QUOTA'"}, "codes: 1:1: gives string, must give list(string)"},
		"numbers for codes":         {cel.Rule{Current: "true", Codes: "[1]"}, "codes: 1:1: gives list(int), must give list(string)"},
		"a wrong comparison":        {cel.Rule{Current: "true", Failed: "kind == 7"}, "failed: 1:6: found no matching overload for '_==_' applied to '(string, int)'"},
		"a wrong expression":        {cel.Rule{Current: "'x'.matches('[')"}, "current: 1:13: invalid matches argument"},
		"a wrong duration":          {cel.Rule{Current: "duration('soon') > duration('1s')"}, "current: 1:10: invalid duration argument"},
		"a wrong format":            {cel.Rule{Current: "true", Message: "'%d'.format(['a'])"}, "message: 1:14: error during formatting: decimal clause can only be used on ints, uints, and doubles, was given string"},
		"a negative time":           {cel.Rule{Current: "true", Within: metav1.Duration{Duration: -time.Second}}, "within: must not be negative"},
		"a field that is no name":   {cel.Rule{Current: "true", Fields: []string{"a-b"}}, `fields: "a-b" is not a valid field name`},
		"two at once":               {cel.Rule{Current: "a", Failed: "b"}, "current: 1:1: undeclared reference to 'a'\nfailed: 1:1: undeclared reference to 'b'"},
		"macros in macros": {
			cel.Rule{Current: "status.a.all(a, a.b.all(b, b.c.all(c, c.d.all(d, d.e.all(e, e.f.all(f, f.g))))))"},
			"current: too expensive: it may cost more than 100000 even for an object whose lists have 10 items",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			program, err := cel.Compile(tt.rule)
			if err == nil {
				t.Fatal("it was accepted")
			}
			if program != nil {
				t.Error("there is a program beside the error")
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestCompileLocates: programs can read the parts of an error.
func TestCompileLocates(t *testing.T) {
	_, err := cel.Compile(cel.Rule{Current: "true", Message: "kind +\n 1"})
	got, ok := errors.AsType[*cel.ExpressionError](err)
	if !ok {
		t.Fatalf("no ExpressionError: %v", err)
	}
	want := &cel.ExpressionError{Field: "message", Line: 1, Column: 6, Cause: "found no matching overload for '_+_' applied to '(string, int)'"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestCompileAccepts: what is valid in Flux is valid here.
func TestCompileAccepts(t *testing.T) {
	tests := map[string]cel.Rule{
		"dyn for a bool":         {Current: "status.ready"},
		"an optional field":      {Current: "status.?ready.orValue(false)"},
		"dyn for a string":       {Current: "true", Message: "status.message"},
		"dyn for codes":          {Current: "true", Codes: "status.codes"},
		"a list of dyn":          {Current: "true", Codes: "status.conditions.map(c, c.reason)"},
		"no codes":               {Current: "true", Codes: "[]"},
		"mixed lists":            {Current: "status.phase in ['Ready', 1]"},
		"int and double":         {Current: "status.share > 0.5 && size(status.list) < 1.5"},
		"strings":                {Current: "status.image.split(':')[1].lowerAscii().startsWith('v')"},
		"first and last":         {Current: "status.image.split(':').last().value() == 'v1' && 'a-b'.split('-').first().hasValue()"},
		"sets":                   {Current: "sets.contains(status.have, spec.want)"},
		"encoders":               {Current: "string(base64.decode(data.state)) == 'ok'"},
		"macros":                 {Current: "status.c.exists_one(c, c.ok) && status.c.filter(c, c.ok).map(c, c.n).all(n, n > 1)"},
		"times":                  {Current: "timestamp(status.since) + duration('1m') > timestamp(metadata.creationTimestamp)"},
		"another field":          {Current: "webhooks.all(w, has(w.clientConfig.caBundle))", Fields: []string{"webhooks"}},
		"a known field is named": {Current: "has(status.ready)", Fields: []string{"status", "status", "kind"}},
		"what a Secret has":      {Current: "type == 'Opaque'", Fields: []string{"type"}},
	}
	for name, rule := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := cel.Compile(rule); err != nil {
				t.Error(err)
			}
		})
	}
}
