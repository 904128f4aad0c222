package expect_test

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

func TestMain(m *testing.M) { env.Main(m) }

func TestExpectations(t *testing.T) {
	e, ctx := env.Get(t), t.Context()
	ns := e.Namespace(t)
	machine := build.Machine(ns, "m", build.Condition("Ill", metav1.ConditionTrue, "Flu", build.Epoch).WithMessage("Has flu"))
	build.Create(ctx, t, e.Client, machine)
	other := build.Machine(ns, "m", build.UID("another"))
	untyped := &unstructured.Unstructured{}
	untyped.SetGroupVersionKind(clusterv1.GroupVersion.WithKind("Machine"))
	untyped.SetNamespace(ns)
	untyped.SetName("m")
	flu := metav1.Condition{Type: "Ill", Status: metav1.ConditionTrue, Reason: "Flu", Message: "Has flu"}
	cold := flu
	cold.Reason = "Cold"

	tb := &recorder{TB: t}
	tests := map[string]struct {
		expect func()
		want   string // the beginning of the failure; empty for none
	}{
		"condition":             {func() { expect.Condition(ctx, tb, e.Client, machine, "Ill") }, ""},
		"condition, untyped":    {func() { expect.Condition(ctx, tb, e.Client, untyped, "Ill") }, ""},
		"condition, missing":    {func() { expect.Condition(ctx, tb, e.Client, machine, "Mad") }, "Machine " + ns + "/m has no condition Mad"},
		"no condition":          {func() { expect.NoCondition(ctx, tb, e.Client, machine, "Mad") }, ""},
		"no condition, but":     {func() { expect.NoCondition(ctx, tb, e.Client, machine, "Ill") }, "Machine " + ns + "/m has condition Ill"},
		"condition is":          {func() { expect.ConditionIs(ctx, tb, e.Client, machine, flu) }, ""},
		"condition is not":      {func() { expect.ConditionIs(ctx, tb, e.Client, machine, cold) }, "Machine " + ns + "/m: condition Ill"},
		"gone":                  {func() { expect.Gone(ctx, tb, e.Client, build.Machine(ns, "x")) }, ""},
		"gone, but":             {func() { expect.Gone(ctx, tb, e.Client, machine) }, "Machine " + ns + "/m exists"},
		"gone, one like it":     {func() { expect.Gone(ctx, tb, e.Client, other) }, ""},
		"object does not exist": {func() { expect.Condition(ctx, tb, e.Client, build.Machine(ns, "x"), "Ill") }, "reading the conditions of Machine " + ns + "/x"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := tb.failure(tt.expect)
			if tt.want == "" && got != "" || !strings.HasPrefix(got, tt.want) {
				t.Errorf("failure is %q, want %q", got, tt.want)
			}
		})
	}
}

// recorder is a testing.TB that records why a test would have failed.
type recorder struct {
	testing.TB
	message string
}

// Fatalf stops the expectation like the real one, but by a panic, which does not stop the test.
func (r *recorder) Fatalf(format string, args ...any) {
	r.message = fmt.Sprintf(format, args...)
	panic(r.message)
}

// failure returns the failure message of an expectation that uses the recorder; empty if it passes.
func (r *recorder) failure(expectation func()) string {
	r.message = ""
	func() {
		defer func() { _ = recover() }()
		expectation()
	}()
	return r.message
}
