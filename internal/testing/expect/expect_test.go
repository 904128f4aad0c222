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

	tests := map[string]struct {
		expect func(t testing.TB)
		want   string // the beginning of the failure; empty for none
	}{
		"condition":             {func(t testing.TB) { expect.Condition(ctx, t, e.Client, machine, "Ill") }, ""},
		"condition, untyped":    {func(t testing.TB) { expect.Condition(ctx, t, e.Client, untyped, "Ill") }, ""},
		"condition, missing":    {func(t testing.TB) { expect.Condition(ctx, t, e.Client, machine, "Mad") }, "Machine " + ns + "/m has no condition Mad"},
		"no condition":          {func(t testing.TB) { expect.NoCondition(ctx, t, e.Client, machine, "Mad") }, ""},
		"no condition, but":     {func(t testing.TB) { expect.NoCondition(ctx, t, e.Client, machine, "Ill") }, "Machine " + ns + "/m has condition Ill"},
		"condition is":          {func(t testing.TB) { expect.ConditionIs(ctx, t, e.Client, machine, flu) }, ""},
		"condition is not":      {func(t testing.TB) { expect.ConditionIs(ctx, t, e.Client, machine, cold) }, "Machine " + ns + "/m: condition Ill"},
		"gone":                  {func(t testing.TB) { expect.Gone(ctx, t, e.Client, build.Machine(ns, "x")) }, ""},
		"gone, but":             {func(t testing.TB) { expect.Gone(ctx, t, e.Client, machine) }, "Machine " + ns + "/m exists"},
		"gone, one like it":     {func(t testing.TB) { expect.Gone(ctx, t, e.Client, other) }, ""},
		"object does not exist": {func(t testing.TB) { expect.Condition(ctx, t, e.Client, build.Machine(ns, "x"), "Ill") }, "reading the conditions of Machine " + ns + "/x"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := failure(t, tt.expect)
			if tt.want == "" && got != "" || !strings.HasPrefix(got, tt.want) {
				t.Errorf("failure is %q, want %q", got, tt.want)
			}
		})
	}
}

// failure runs an expectation on a testing.TB of its own and returns what it failed with.
func failure(t *testing.T, expectation func(testing.TB)) string {
	t.Helper()
	tb := &recorder{TB: t}
	func() {
		defer func() { _ = recover() }()
		expectation(tb)
	}()
	return tb.failure
}

// recorder is a testing.TB whose Fatalf ends in a panic instead of ending the test.
type recorder struct {
	testing.TB
	failure string
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.failure = fmt.Sprintf(format, args...)
	panic(r.failure)
}
