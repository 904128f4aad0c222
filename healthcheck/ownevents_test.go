package healthcheck_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
)

// counted is a controller for one Widget under a manager, with a check that counts how often it runs.
type counted struct {
	*harness
	runs atomic.Int32
}

// count starts a controller whose check calls answer with the number of the run. Change, if set, changes the registration.
func count(t *testing.T, answer func(n int32, in healthcheck.Input[*Widget]) (healthcheck.Result, error), change ...func(*healthcheck.Reconciler[*Widget])) *counted {
	t.Helper()
	c := &counted{harness: newHarness(t, healthcheck.Result{})}
	r := &healthcheck.Reconciler[*Widget]{Registration: c.Registration}
	r.OnTransition = nil
	r.Conditions[0].Checks[0].Check = healthcheck.CheckFunc[*Widget](func(_ context.Context, in healthcheck.Input[*Widget]) (healthcheck.Result, error) {
		return answer(c.runs.Add(1), in)
	})
	for _, c := range change {
		c(r)
	}
	c.env.Manager(t, env.ManagerOptions{Namespaces: []string{c.widget.Namespace}, Setup: r.SetupWithManager})
	return c
}

// conditions returns how many conditions the Widget has.
func (c *counted) conditions(t *testing.T) func() int {
	t.Helper()
	return func() int { return len(c.stored(t).Status.Conditions) }
}

// TestOwnWritesTriggerNoLook: nothing that the engine writes leads to another look, so a check that answers something
// else each time is not asked again.
func TestOwnWritesTriggerNoLook(t *testing.T) {
	alternate := func(n int32, _ healthcheck.Input[*Widget]) (healthcheck.Result, error) {
		if n%2 == 0 {
			return result(healthcheck.True, "Even", ""), nil
		}
		return result(healthcheck.False, "Odd", ""), nil
	}
	for name, tt := range map[string]struct {
		answer func(n int32, in healthcheck.Input[*Widget]) (healthcheck.Result, error)
		change func(*healthcheck.Reconciler[*Widget])
	}{
		"it alternates": {alternate, func(*healthcheck.Reconciler[*Widget]) {}},
		"it has a clock": {func(int32, healthcheck.Input[*Widget]) (healthcheck.Result, error) {
			return healthcheck.Result{Status: healthcheck.Progressing, Reason: "RollingOut", Within: time.Hour}, nil
		}, func(*healthcheck.Reconciler[*Widget]) {}},
		"it alternates, and a root sums it up": {alternate, func(r *healthcheck.Reconciler[*Widget]) { r.Root.Type = "Ready" }},
		"it is damped": {alternate, func(r *healthcheck.Reconciler[*Widget]) {
			r.Conditions[0].Damping = healthcheck.Damping{Failures: 2, Interval: time.Hour}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			c := count(t, tt.answer, tt.change)
			g.Eventually(c.conditions(t), patience).Should(BeNumerically(">=", 1))
			written := c.stored(t).ResourceVersion
			g.Consistently(c.runs.Load, "2500ms").Should(BeEquivalentTo(1), "the Widget's creation")
			g.Expect(c.stored(t).ResourceVersion).To(Equal(written))
		})
	}
}

// TestReadBackTriggersALook: a condition that another check reads is looked at again when it has changed, and then no more.
func TestReadBackTriggersALook(t *testing.T) {
	g := NewWithT(t)
	var runs atomic.Int32
	c := count(t, func(int32, healthcheck.Input[*Widget]) (healthcheck.Result, error) {
		return result(healthcheck.False, "Broken", ""), nil
	}, func(r *healthcheck.Reconciler[*Widget]) {
		r.Conditions[0].ReadBack = true
		r.Conditions = append(r.Conditions, healthcheck.NewCondition("Follows", healthcheck.NewCheck("follows",
			func(_ context.Context, in healthcheck.Input[*Widget]) (healthcheck.Result, error) {
				runs.Add(1)
				for _, c := range in.Object.Status.Conditions {
					if c.Type == "Healthy" {
						return result(healthcheck.False, c.Reason, ""), nil
					}
				}
				return result(healthcheck.True, "Fine", ""), nil
			})))
	})
	g.Eventually(func() string {
		for _, c := range c.stored(t).Status.Conditions {
			if c.Type == "Follows" {
				return c.Reason
			}
		}
		return ""
	}, patience).Should(Equal("Broken"))
	g.Consistently(runs.Load, "2500ms").Should(BeEquivalentTo(2))
}

// TestOthersWritesTriggerALook: what others write is looked at, also when they change our condition.
func TestOthersWritesTriggerALook(t *testing.T) {
	g := NewWithT(t)
	c := count(t, func(_ int32, in healthcheck.Input[*Widget]) (healthcheck.Result, error) {
		if in.Object.Labels["sick"] != "" {
			return result(healthcheck.False, "Sick", ""), nil
		}
		return result(healthcheck.True, "Fine", ""), nil
	})
	status := func() string {
		for _, c := range c.stored(t).Status.Conditions {
			return string(c.Status)
		}
		return ""
	}
	g.Eventually(status, patience).Should(Equal("True"))
	widget := c.stored(t)
	widget.Labels = map[string]string{"sick": "yes"}
	g.Expect(c.env.Client.Update(t.Context(), widget)).To(Succeed())
	g.Eventually(status, patience).Should(Equal("False"))
	widget = c.stored(t)
	widget.Status.Conditions = nil
	g.Expect(c.env.Client.Status().Update(t.Context(), widget)).To(Succeed())
	g.Eventually(status, patience).Should(Equal("False"), "somebody has removed our condition")
}

// TestLooksHaveAFloor: whatever a check asks for, and however often the object changes, one look follows another no sooner
// than MinInterval.
func TestLooksHaveAFloor(t *testing.T) {
	fine := result(healthcheck.True, "Fine", "")
	for name, answer := range map[string]func(int32, healthcheck.Input[*Widget]) (healthcheck.Result, error){
		"a forgotten unit": func(_ int32, in healthcheck.Input[*Widget]) (healthcheck.Result, error) {
			r := fine
			r.RecheckAt = in.Now.Add(30)
			return r, nil
		},
		"a moment that has passed meanwhile": func(_ int32, in healthcheck.Input[*Widget]) (healthcheck.Result, error) {
			r := fine
			r.RecheckAt = in.Now.Add(time.Microsecond)
			return r, nil
		},
		"later, with a forgotten unit": func(int32, healthcheck.Input[*Widget]) (healthcheck.Result, error) {
			return healthcheck.Result{}, &healthcheck.LaterError{After: 30}
		},
		"a new deadline each time": func(_ int32, in healthcheck.Input[*Widget]) (healthcheck.Result, error) {
			return healthcheck.Result{Status: healthcheck.Progressing, Reason: "Moving", Deadline: in.Now.Add(30)}, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			c := count(t, answer)
			g.Eventually(c.runs.Load, patience).Should(BeNumerically(">=", 1))
			g.Consistently(c.runs.Load, "2500ms").Should(BeNumerically("<=", 4), "one a second")
			g.Eventually(c.runs.Load, patience).Should(BeNumerically(">=", 3), "it is looked at again, as asked")
		})
	}
	t.Run("an object that changes all the time", func(t *testing.T) {
		g := NewWithT(t)
		c := count(t, func(int32, healthcheck.Input[*Widget]) (healthcheck.Result, error) { return fine, nil })
		g.Eventually(c.conditions(t), patience).Should(Equal(1))
		g.Consistently(func() int32 {
			widget := c.stored(t)
			patch := client.MergeFrom(widget.DeepCopyObject().(*Widget))
			widget.Spec.Size++
			g.Expect(c.env.Client.Patch(t.Context(), widget, patch)).To(Succeed())
			return c.runs.Load()
		}, "2500ms").Should(BeNumerically("<=", 4))
		g.Eventually(func() int64 { return c.stored(t).Status.Conditions[0].ObservedGeneration }, patience).Should(Equal(c.stored(t).Generation), "the last change is judged")
	})
	t.Run("a shorter floor", func(t *testing.T) {
		g := NewWithT(t)
		c := count(t, func(_ int32, in healthcheck.Input[*Widget]) (healthcheck.Result, error) {
			r := fine
			r.RecheckAt = in.Now.Add(1)
			return r, nil
		}, func(r *healthcheck.Reconciler[*Widget]) { r.MinInterval = 20 * time.Millisecond })
		g.Eventually(c.runs.Load, "5s", "10ms").Should(BeNumerically(">=", 10))
	})
}
