package healthcheck_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/targets"
)

// wrongColor is a check that knows that its settings are wrong.
type wrongColor struct {
	healthcheck.CheckFunc[*Widget]
}

// Validate implements healthcheck.Validator.
func (wrongColor) Validate() error { return errors.New("its Color is not green") }

// TestNothingToWorkWith: what is missing is said, and nothing panics.
func TestNothingToWorkWith(t *testing.T) {
	source := healthcheck.NewCheck("c", func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Result, error) {
		return healthcheck.Result{Status: healthcheck.True, Reason: "Fine"}, nil
	}, healthcheck.NeedsSource)
	registration := healthcheck.Registration[*Widget]{Name: "w", Conditions: []healthcheck.ConditionChecks[*Widget]{healthcheck.NewCondition("Ready", source)}}
	twice := registration
	twice.Conditions = append(twice.Conditions, twice.Conditions[0])
	evaluate := func(r healthcheck.Registration[*Widget], obj *Widget) error {
		got, err := healthcheck.New(r).Evaluate(t.Context(), obj)
		if len(got.Conditions) > 0 {
			t.Errorf("conditions are %+v", got.Conditions)
		}
		return err
	}
	for name, tt := range map[string]struct {
		err  error
		want string
	}{
		"no manager":           {healthcheck.New(registration).SetupWithManager(nil), `registration "w" has no manager to be added to: the manager is nil`},
		"no object":            {evaluate(registration, nil), `registration "w": the object to evaluate is nil`},
		"no source":            {evaluate(registration, &Widget{}), `registration "w" has neither Client nor Source, and condition "Ready" needs the source`},
		"not a valid one":      {evaluate(twice, &Widget{}), `registration "w": condition type "Ready" is registered twice`},
		"no client to read by": {reconciled(t, registration), `registration "w" has no Client to read objects with: set it, or call SetupWithManager`},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.err == nil || tt.err.Error() != tt.want {
				t.Errorf("the error is %v, want %s", tt.err, tt.want)
			}
		})
	}
}

func reconciled(t *testing.T, registration healthcheck.Registration[*Widget]) error {
	t.Helper()
	_, err := healthcheck.New(registration).Reconcile(t.Context(), ctrl.Request{})
	return err
}

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
		"a predicate that is nil": {
			func(r *healthcheck.Registration[*Widget]) {
				r.Predicates = []predicate.Predicate{nil}
				r.Watches = []healthcheck.Watch{{Object: &Widget{}, Predicates: []predicate.Predicate{predicate.GenerationChangedPredicate{}, nil}}}
			},
			"registration \"w\": one of its Predicates is nil\nregistration \"w\": one of the Predicates of its watch on *healthcheck_test.Widget is nil",
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
		"times without a unit": {
			func(r *healthcheck.Registration[*Widget]) {
				r.MinInterval, r.SyncPeriod, r.CheckTimeout = 30, 30, 30
			},
			"registration \"w\": MinInterval is 30ns, and at least 10ms is possible\nregistration \"w\": CheckTimeout is 30ns, and at least 1ms is possible",
		},
		"a period below the floor": {
			func(r *healthcheck.Registration[*Widget]) { r.SyncPeriod = 30 },
			`registration "w": SyncPeriod is 30ns, and at least 1s is possible`,
		},
		"never": {func(r *healthcheck.Registration[*Widget]) { r.SyncPeriod = healthcheck.Never }, ""},
		"an interval below the floor": {
			func(r *healthcheck.Registration[*Widget]) {
				r.Conditions[0].Checks[0].Interval, r.Conditions[0].Checks[0].Poll = 30, 30
			},
			"registration \"w\": check \"c\" of condition \"Ready\": its Interval is 30ns, and at least 1s is possible\nregistration \"w\": check \"c\" of condition \"Ready\": its Poll is 30ns, and at least 1s is possible",
		},
		"a damping below its minimum": {
			func(r *healthcheck.Registration[*Widget]) {
				r.Conditions[0].Damping = healthcheck.Damping{Failures: 2, Interval: time.Millisecond}
			},
			`registration "w": condition "Ready": Damping.Interval is 1ms, and at least 1s is possible`,
		},
		"a type that is too long": {
			func(r *healthcheck.Registration[*Widget]) { r.Conditions[0].Type = strings.Repeat("A", 317) },
			`registration "w": condition type "AAAAAAAAAAAAAAAAAAAA..." has 317 characters, and at most 316 are possible`,
		},
		"a root type that is too long": {
			func(r *healthcheck.Registration[*Widget]) { r.Root.Type = strings.Repeat("A", 400) },
			`registration "w": condition type "AAAAAAAAAAAAAAAAAAAA..." has 400 characters, and at most 316 are possible`,
		},
		"the longest type": {func(r *healthcheck.Registration[*Widget]) { r.Conditions[0].Type = strings.Repeat("A", 316) }, ""},
		"its own former name": {
			func(r *healthcheck.Registration[*Widget]) { r.FormerNames = []string{"v", "w"} },
			`registration "w" has its own name among its FormerNames`,
		},
		"a check that is not valid": {
			func(r *healthcheck.Registration[*Widget]) { r.Conditions[0].Checks[0].Check = wrongColor{} },
			`registration "w": check "c" of condition "Ready": its Color is not green`,
		},
		"targets that are not valid": {
			func(r *healthcheck.Registration[*Widget]) { r.Targets = &targets.Clients[*Widget]{} },
			`registration "w": its Targets: the Clients have no Resolve`,
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
