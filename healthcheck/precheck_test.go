package healthcheck

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestPrechecks(t *testing.T) {
	answer := func(a Applicability) Precheck[string] {
		return func(context.Context, Input[string]) (Applicability, error) { return a, nil }
	}
	fails := func(context.Context, Input[string]) (Applicability, error) { return Applies, errTest }
	panics := func(context.Context, Input[string]) (Applicability, error) { panic("oh dear") }
	hangs := func(context.Context, Input[string]) (Applicability, error) {
		<-time.After(time.Hour)
		return Applies, nil
	}
	tests := map[string]struct {
		prechecks []Precheck[string]
		want      Applicability
		err       string
	}{
		"none":                           {nil, Applies, ""},
		"all apply":                      {[]Precheck[string]{answer(Applies), answer(Applies)}, Applies, ""},
		"the first that does not decide": {[]Precheck[string]{answer(Applies), answer(LeaveAlone), answer(DoesNotApply), fails}, LeaveAlone, ""},
		"an error":                       {[]Precheck[string]{fails}, Applies, "deciding whether Ready applies: no route"},
		"a panic":                        {[]Precheck[string]{panics}, Applies, "deciding whether Ready applies panicked: oh dear"},
		"a timeout":                      {[]Precheck[string]{hangs}, Applies, "deciding whether Ready applies did not answer within 3s"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var ran bool
				check := CheckFunc[string](func(context.Context, Input[string]) (Result, error) {
					ran = true
					return Result{Status: True, Reason: "R"}, nil
				})
				out := bare(3*time.Second).checkCondition(t.Context(), only(check, tt.prechecks...), nil)
				if out.applicability != tt.want || text(out.err) != tt.err {
					t.Errorf("got %v and error %q, want %v and %q", out.applicability, text(out.err), tt.want, tt.err)
				}
				if want := tt.want == Applies && tt.err == ""; ran != want {
					t.Errorf("the check ran: %t, want %t", ran, want)
				}
				<-time.After(2 * time.Hour) // a precheck that ignores its context must end within the bubble
			})
		})
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
