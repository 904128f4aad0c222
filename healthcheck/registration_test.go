package healthcheck_test

import (
	"context"
	"slices"
	"testing"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

func TestValidate(t *testing.T) {
	fine := healthcheck.CheckFunc[*Widget](func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Result, error) {
		return healthcheck.Result{}, nil
	})
	ready := healthcheck.ConditionChecks[*Widget]{Type: "Ready", Checks: []healthcheck.NamedCheck[*Widget]{{Name: "c", Check: fine}}}
	tests := map[string]struct {
		change func(r *healthcheck.Registration[*Widget])
		want   string
	}{
		"complete": {func(*healthcheck.Registration[*Widget]) {}, ""},
		"no name":  {func(r *healthcheck.Registration[*Widget]) { r.Name = "" }, "a registration needs a name"},
		"a name of a registration that is not UTF-8": {
			func(r *healthcheck.Registration[*Widget]) { r.Name = "größe"[:3] },
			`registration "gr\xc3": its name is not UTF-8`,
		},
		"the defaults":  {func(r *healthcheck.Registration[*Widget]) { r.New, r.Store = nil, nil }, ""},
		"no conditions": {func(r *healthcheck.Registration[*Widget]) { r.Conditions = nil }, `registration "w" has no conditions`},
		"a type twice": {
			func(r *healthcheck.Registration[*Widget]) { r.Conditions = append(r.Conditions, ready) },
			`registration "w": condition type "Ready" is registered twice`,
		},
		"no type": {
			func(r *healthcheck.Registration[*Widget]) { r.Conditions[0].Type = "" },
			`registration "w": a condition has no type`,
		},
		"a type that the API server refuses": {
			func(r *healthcheck.Registration[*Widget]) { r.Conditions[0].Type = "Not ready" },
			`registration "w": condition type "Not ready" may contain only letters, digits, "-", "_" and ".", optionally after a domain and "/"`,
		},
		"a type with a domain": {func(r *healthcheck.Registration[*Widget]) { r.Conditions[0].Type = "example.com/Ready_1" }, ""},
		"a root type that the API server refuses": {
			func(r *healthcheck.Registration[*Widget]) { r.Root.Type = "All!" },
			`registration "w": condition type "All!" may contain only letters, digits, "-", "_" and ".", optionally after a domain and "/"`,
		},
		"no checks": {
			func(r *healthcheck.Registration[*Widget]) { r.Conditions[0].Checks = nil },
			`registration "w": condition "Ready" has no checks`,
		},
		"a nil check": {
			func(r *healthcheck.Registration[*Widget]) {
				r.Conditions[0].Checks = []healthcheck.NamedCheck[*Widget]{{Name: "c"}}
			},
			`registration "w": check "c" of condition "Ready" is nil`,
		},
		"a check twice": {
			func(r *healthcheck.Registration[*Widget]) {
				r.Conditions[0].Checks = append(r.Conditions[0].Checks, ready.Checks...)
			},
			`registration "w": check "c" of condition "Ready" is registered twice`,
		},
		"a check without a name": {
			func(r *healthcheck.Registration[*Widget]) { r.Conditions[0].Checks[0].Name = "" },
			`registration "w": a check of condition "Ready" has no name`,
		},
		"a name that is not UTF-8": {
			func(r *healthcheck.Registration[*Widget]) { r.Conditions[0].Checks[0].Name = "größe"[:3] },
			`registration "w": the name "gr\xc3" of a check of condition "Ready" is not UTF-8`,
		},
		"a name with the separator": {
			func(r *healthcheck.Registration[*Widget]) { r.Conditions[0].Checks[0].Name = "a|b" },
			`registration "w": check "a|b" of condition "Ready" has "|" in its name`,
		},
		"a nil function": {
			func(r *healthcheck.Registration[*Widget]) {
				r.Conditions[0].Checks[0] = healthcheck.NewCheck[*Widget]("c", nil)
			},
			`registration "w": check "c" of condition "Ready" is nil`,
		},
		"a nil precheck": {
			func(r *healthcheck.Registration[*Widget]) {
				r.Conditions[0].Prechecks = []healthcheck.Precheck[*Widget]{nil}
			},
			`registration "w": a precheck of condition "Ready" is nil`,
		},
		"a negative damping": {
			func(r *healthcheck.Registration[*Widget]) { r.Conditions[0].Damping.Failures = -1 },
			`registration "w": Damping of condition "Ready" has a negative value`,
		},
		"a target that nobody gives": {
			func(r *healthcheck.Registration[*Widget]) { r.Conditions[0].Checks[0].Needs = healthcheck.NeedsTarget },
			`registration "w": check "c" of condition "Ready" needs a target cluster, and there are no Targets`,
		},
		"a parent that nobody gives": {
			func(r *healthcheck.Registration[*Widget]) { r.Conditions[0].PrecheckNeeds = healthcheck.NeedsParent },
			`registration "w": a precheck of condition "Ready" needs the parent, and there is no Parent`,
		},
		"a need that nobody knows": {
			func(r *healthcheck.Registration[*Widget]) { r.Conditions[0].Checks[0].Needs = 1 << 7 },
			`registration "w": check "c" of condition "Ready" needs something that does not exist`,
		},
		"a watch of no kind": {
			func(r *healthcheck.Registration[*Widget]) { r.Watches = []healthcheck.Watch{{}} },
			`registration "w": a watch has no Object`,
		},
		"a removal while undecided": {
			func(r *healthcheck.Registration[*Widget]) { r.Conditions[0].WhileUndecided = healthcheck.DoesNotApply },
			`registration "w": WhileUndecided of condition "Ready" is neither Applies nor LeaveAlone`,
		},
		"negative numbers": {
			func(r *healthcheck.Registration[*Widget]) {
				r.CheckConcurrency, r.CheckTimeout, r.SyncPeriod = -1, -1, -2
			},
			"registration \"w\": SyncPeriod is negative\nregistration \"w\": CheckTimeout is negative\nregistration \"w\": CheckConcurrency is negative",
		},
		"a negative interval": {
			func(r *healthcheck.Registration[*Widget]) { r.Conditions[0].Checks[0].Interval = -1 },
			`registration "w": check "c" of condition "Ready" has a negative Interval`,
		},
		"everything at once": {
			func(r *healthcheck.Registration[*Widget]) { *r = healthcheck.Registration[*Widget]{} },
			"a registration needs a name\nregistration \"\" has no conditions",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := healthcheck.Registration[*Widget]{
				Name: "w", New: func() *Widget { return &Widget{} }, Store: healthcheck.Metav1Store[*Widget]{},
				Conditions: []healthcheck.ConditionChecks[*Widget]{{Type: "Ready", Checks: slices.Clone(ready.Checks)}},
			}
			tt.change(&r)
			got := ""
			if err := r.Validate(); err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("error is %q, want %q", got, tt.want)
			}
		})
	}
}
