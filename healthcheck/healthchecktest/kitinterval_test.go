package healthchecktest_test

import (
	"context"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/healthchecktest"
)

// TestKitForgetsWhatIsDeleted: it also forgets the last results of checks. A new object of the same name is another object, as for
// the engine.
func TestKitForgetsWhatIsDeleted(t *testing.T) {
	runs := 0
	probe := healthcheck.NewCheck("probe", func(context.Context, healthcheck.Input[*Shop]) (healthcheck.Result, error) {
		runs++
		return healthcheck.Result{Status: healthcheck.True, Reason: "Open"}, nil
	})
	probe.Interval = time.Hour
	shop := books()
	shop.Generation = 1
	registration := healthcheck.Registration[*Shop]{Name: "shops", Conditions: []healthcheck.ConditionChecks[*Shop]{healthcheck.NewCondition("Open", probe)}}
	kit := healthchecktest.New(t, registration, shop)
	kit.Run()
	kit.Delete(shop)
	kit.Put(shop)
	kit.Run()
	if runs != 2 {
		t.Errorf("the check was run %d times, want once for each of two objects", runs)
	}
}

// TestKitGenerations: a check with an Interval runs again when the spec changes, but not when the status does, as on an API server.
func TestKitGenerations(t *testing.T) {
	for name, tt := range map[string]struct {
		given  int64
		change func(*appsv1.Deployment)
		want   int
	}{
		"spec, no generation":     {0, func(d *appsv1.Deployment) { d.Spec.Paused = true }, 2},
		"spec, same generation":   {1, func(d *appsv1.Deployment) { d.Spec.Paused = true }, 2},
		"status, no generation":   {0, func(d *appsv1.Deployment) { d.Status.ReadyReplicas++ }, 1},
		"status, same generation": {1, func(d *appsv1.Deployment) { d.Status.ReadyReplicas++ }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			runs := 0
			probe := healthcheck.NewCheck("probe", func(context.Context, healthcheck.Input[*appsv1.Deployment]) (healthcheck.Result, error) {
				runs++
				return healthcheck.Result{Status: healthcheck.True, Reason: "Open"}, nil
			})
			probe.Interval = time.Hour
			d := backend(1)
			d.Generation = tt.given
			kit := healthchecktest.New(t, healthcheck.Registration[*appsv1.Deployment]{
				Name: "deployments", Conditions: []healthcheck.ConditionChecks[*appsv1.Deployment]{healthcheck.NewCondition("Open", probe)},
			}, d)
			kit.Run()
			tt.change(d)
			kit.Put(d)
			kit.Run()
			if runs != tt.want {
				t.Errorf("it was run %d times, want %d", runs, tt.want)
			}
		})
	}
}

// TestKitMeetsADeadlineAtItsEnd: a look shortly before puts the next one off, by the least time between two looks.
func TestKitMeetsADeadlineAtItsEnd(t *testing.T) {
	const until = 10 * time.Minute
	early := healthcheck.NewCheck("early", func(context.Context, healthcheck.Input[*Shop]) (healthcheck.Result, error) {
		return healthcheck.Result{Status: healthcheck.True, Reason: "Open", RecheckAt: healthchecktest.Start.Add(until - time.Second/2)}, nil
	})
	slow := healthcheck.NewCheck("slow", func(context.Context, healthcheck.Input[*Shop]) (healthcheck.Result, error) {
		return healthcheck.Result{Status: healthcheck.Progressing, Reason: "Opening", Within: until}, nil
	})
	shop := books()
	kit := healthchecktest.New(t, healthcheck.Registration[*Shop]{
		Name: "shops", Conditions: []healthcheck.ConditionChecks[*Shop]{healthcheck.NewCondition("Open", early), healthcheck.NewCondition("Ready", slow)},
	}, shop)
	kit.Run()
	kit.Advance(until)
	if got := kit.Condition(shop, "Ready"); got.Reason != healthcheck.ReasonDeadlineExceeded {
		t.Errorf("at its deadline it is %+v", got)
	}
}
