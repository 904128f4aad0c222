package healthcheck_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
)

// TestClockWakesNobodyUp: a first verdict with a clock takes two writes, but only one of them triggers a look.
func TestClockWakesNobodyUp(t *testing.T) {
	g := NewWithT(t)
	f := newHarness(t, healthcheck.Result{})
	var runs atomic.Int32
	r := &healthcheck.Reconciler[*Widget]{Registration: f.Registration}
	r.OnTransition = nil
	r.Conditions[0].Checks[0].Check = healthcheck.CheckFunc[*Widget](func(context.Context, healthcheck.Input[*Widget]) (healthcheck.Result, error) {
		runs.Add(1)
		return healthcheck.Result{Status: healthcheck.Progressing, Reason: "RollingOut", Within: time.Hour}, nil
	})
	f.env.Manager(t, env.ManagerOptions{Namespaces: []string{f.widget.Namespace}, Setup: r.AddToManager})
	g.Eventually(func() int { return len(f.stored(t).Status.Conditions) }, patience).Should(Equal(1))
	g.Consistently(runs.Load, "1s").Should(BeNumerically("<=", 2), "the widget's creation and our condition")
	if len(f.stored(t).Annotations) != 1 {
		t.Error("no clock is kept")
	}
}
