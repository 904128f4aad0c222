package healthcheck_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
)

// gauges asserts which series exist, as CONDITION STATUS REASON, with the number of objects and the second after now since
// when.
func gauges(t *testing.T, registration string, want map[string][2]int64) {
	t.Helper()
	const counted, oldest = "sickbay_conditions", "sickbay_condition_oldest_transition_timestamp_seconds"
	var expected strings.Builder
	for i, about := range []struct{ name, help string }{
		{oldest, "Unix time of the oldest transition among the objects with this condition, status and reason."},
		{counted, "Objects by the stored status and reason of a condition."},
	} {
		lines := ""
		for key, values := range want {
			labels, value := strings.Fields(key), now.Unix()+values[1]
			if i == 1 {
				value = values[0]
			}
			lines += fmt.Sprintf("%s{condition=%q,reason=%q,registration=%q,status=%q} %d\n", about.name, labels[0], labels[2], registration, labels[1], value)
		}
		if lines != "" {
			fmt.Fprintf(&expected, "# HELP %s %s\n# TYPE %s gauge\n%s", about.name, about.help, about.name, lines)
		}
	}
	if err := testutil.GatherAndCompare(only(t, registration), strings.NewReader(expected.String()), counted, oldest); err != nil {
		t.Error(err)
	}
}

// TestGauges: the gauges count the conditions of objects, and show since when they have them.
func TestGauges(t *testing.T) {
	answer := map[string]healthcheck.Result{}
	f := inMemory(t, healthcheck.NewCondition("A", healthcheck.NewCheck("answer",
		func(_ context.Context, in healthcheck.Input[*Widget]) (healthcheck.Result, error) {
			return answer[in.Object.Name], nil
		})))
	f.Conditions = append(f.Conditions, condition("B", says(result(healthcheck.True, "Fine", ""), nil)))
	one := f.widget
	other := &Widget{}
	other.Namespace, other.Name, other.UID = "n", "x", "5678"
	if err := f.writer.Create(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	look := func(second int, widget *Widget, r healthcheck.Result) {
		t.Helper()
		f.widget, answer[widget.Name] = widget, r
		f.clock.SetTime(in(time.Duration(second) * time.Second))
		f.reconcile(t)
	}
	gauges(t, f.Name, nil)
	look(0, one, result(healthcheck.True, "Fine", ""))
	look(10, other, result(healthcheck.True, "Fine", ""))
	look(15, other, result(healthcheck.True, "Fine", ""))
	gauges(t, f.Name, map[string][2]int64{"A True Fine": {2, 0}, "B True Fine": {2, 0}})
	look(20, one, result(healthcheck.False, "Broken", ""))
	gauges(t, f.Name, map[string][2]int64{"A True Fine": {1, 10}, "A False Broken": {1, 20}, "B True Fine": {2, 0}})
	look(30, one, result(healthcheck.False, "WorseReason", ""))
	gauges(t, f.Name, map[string][2]int64{"A True Fine": {1, 10}, "A False WorseReason": {1, 20}, "B True Fine": {2, 0}})
	look(40, one, result(healthcheck.Skipped, "NotHere", ""))
	gauges(t, f.Name, map[string][2]int64{"A True Fine": {1, 10}, "B True Fine": {2, 0}})
	look(50, other, result(healthcheck.Skipped, "NotHere", ""))
	gauges(t, f.Name, map[string][2]int64{"B True Fine": {2, 0}})
	if _, err := f.Evaluate(t.Context(), &Widget{}); err != nil {
		t.Fatal(err)
	}
	if err := f.writer.Delete(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	look(60, one, healthcheck.Result{})
	gauges(t, f.Name, map[string][2]int64{"B True Fine": {1, 10}})

	// After a restart no object has been checked yet. The first look counts the stored conditions, although it writes
	// nothing.
	restarted := &healthcheck.Reconciler[*Widget]{Registration: f.Registration, Client: f.Client, Clock: f.clock}
	restarted.Name += " restarted"
	f.Reconciler = restarted
	gauges(t, f.Name, nil)
	look(70, other, result(healthcheck.Skipped, "NotHere", ""))
	gauges(t, f.Name, map[string][2]int64{"B True Fine": {1, 10}})
}

// TestGaugesOfNamesakes: two managers may have registrations with the same name, and a label may be invalid text.
func TestGaugesOfNamesakes(t *testing.T) {
	var all []*memory
	for range 2 {
		f := inMemory(t, condition("A", says(result(healthcheck.False, "No\xffText", ""), nil)))
		f.reconcile(t)
		all = append(all, f)
	}
	gauges(t, t.Name(), map[string][2]int64{"A False No?Text": {2, 0}})
	runtime.KeepAlive(all)
}

// TestGaugesOfNobody: without a manager, the gauges go with the Reconciler when it is garbage-collected.
func TestGaugesOfNobody(t *testing.T) {
	func() {
		f := inMemory(t, condition("A", says(result(healthcheck.True, "Fine", ""), nil)))
		f.reconcile(t)
		gauges(t, t.Name(), map[string][2]int64{"A True Fine": {1, 0}})
		runtime.KeepAlive(f)
	}()
	NewWithT(t).Eventually(func() (int, error) {
		runtime.GC()
		return testutil.GatherAndCount(only(t, t.Name()), "sickbay_conditions")
	}, patience).Should(Equal(0))
}

// TestGaugesEnd: the gauges go when the manager ends.
func TestGaugesEnd(t *testing.T) {
	f := newHarness(t, result(healthcheck.True, "Fine", ""))
	registration := f.Registration
	registration.Name, registration.OnTransition = f.widget.Namespace, nil
	t.Run("manager", func(t *testing.T) {
		g := NewWithT(t)
		r := healthcheck.New(registration)
		f.env.Manager(t, env.ManagerOptions{Namespaces: []string{f.widget.Namespace}, Setup: r.SetupWithManager})
		g.Eventually(func() (int, error) { return testutil.GatherAndCount(only(t, registration.Name), "sickbay_conditions") }, patience).Should(Equal(1))
	})
	gauges(t, registration.Name, nil)
}
