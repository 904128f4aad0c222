package gardener_test

import (
	"fmt"
	"testing"
	"time"

	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/gardener"
)

// Checks of each generation get the clients that they take, and the original keeps none.
func TestGenerations(t *testing.T) {
	five, opt, today := &fiveMethods{}, &optional{}, &todays{}
	theirs := []*theirCheck{}
	newTheirs := func() *theirCheck { theirs = append(theirs, &theirCheck{}); return theirs[len(theirs)-1] }
	both := healthcheck.NeedsSource | healthcheck.NeedsTarget
	rows := map[string]struct {
		check  gardener.HealthCheck
		needs  healthcheck.Needs
		detail string
		codes  []string
	}{
		"five methods":          {five, both, "aws Worker: seed, shoot", nil},
		"optional clients":      {opt, healthcheck.NeedsTarget, "aws Worker: <nil>, shoot", nil},
		"today":                 {today, both, "aws Worker: seed, shoot", nil},
		"of Gardener's module":  {gardener.Of(newTheirs), both, "aws Worker: seed, shoot", []string{string(quota)}},
		"neither takes a thing": {&scripted{result: report("", "", nil, nil)}, 0, " : <nil>, <nil>", nil},
	}
	worker := &extensionsv1alpha1.Worker{Spec: extensionsv1alpha1.WorkerSpec{DefaultSpec: extensionsv1alpha1.DefaultSpec{Type: "aws"}}}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			adapted := gardener.Adapt[*extensionsv1alpha1.Worker]("it", row.check)
			if adapted.Needs != row.needs {
				t.Errorf("it needs %b, want %b", adapted.Needs, row.needs)
			}
			in := healthcheck.Input[*extensionsv1alpha1.Worker]{Object: worker}
			if row.needs&healthcheck.NeedsSource != 0 {
				in.Env.Source = &cluster{name: "seed"}
			}
			if row.needs&healthcheck.NeedsTarget != 0 {
				in.Env.Target = &cluster{name: "shoot"}
			}
			got, err := adapted.Check.Check(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			want := healthcheck.Result{Status: healthcheck.False, Reason: gardener.ReasonUnsuccessful, Message: row.detail, Codes: row.codes}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	for _, left := range []any{*five, *opt, *today, theirs[0].todays} {
		if text := fmt.Sprintf("%+v", left); text != fmt.Sprintf("%+v", emptied(left)) {
			t.Errorf("something stayed behind: %s", text)
		}
	}
}

// emptied returns the zero value of v's type.
func emptied(v any) any {
	switch v.(type) {
	case fiveMethods:
		return fiveMethods{}
	case optional:
		return optional{}
	default:
		return todays{}
	}
}

// A missing client or answer is an error.
func TestAdaptSaysWhatIsWrong(t *testing.T) {
	worker := &extensionsv1alpha1.Worker{}
	run := func(check gardener.HealthCheck, env healthcheck.Env) (healthcheck.Result, error) {
		adapted := gardener.Adapt[*extensionsv1alpha1.Worker]("it", check)
		return adapted.Check.Check(t.Context(), healthcheck.Input[*extensionsv1alpha1.Worker]{Object: worker, Env: env})
	}
	if _, err := run(&todays{}, healthcheck.Env{Source: onlyReader{}}); err == nil {
		t.Error("a reader was taken for a client")
	}
	if _, err := run(&todays{}, healthcheck.Env{Target: onlyReader{}}); err == nil {
		t.Error("a reader was taken for a client")
	}
	if _, err := run(&scripted{}, healthcheck.Env{}); err == nil {
		t.Error("no result is an answer")
	}
	if got, err := run(progresses(0, "rolling"), healthcheck.Env{}); err != nil || got.Within != time.Second {
		t.Errorf("a threshold of nothing is %s, %v", got.Within, err)
	}
	if got, err := run(answers(statusProgressing, "rolling"), healthcheck.Env{}); err != nil || got.Status != healthcheck.False {
		t.Errorf("no threshold is %s, %v", got.Status, err)
	}
	if got, err := run(answers(statusUnknown, ""), healthcheck.Env{}); err != nil || got.Status != healthcheck.Unknown {
		t.Errorf("Unknown is %s, %v", got.Status, err)
	}
}

type onlyReader struct{ client.Reader }
