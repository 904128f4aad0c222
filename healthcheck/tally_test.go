package healthcheck

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/expect"
)

// conditionsOf returns the conditions of the i-th object; few differ.
func conditionsOf(i int) []Condition {
	c := []Condition{{Type: "Ready", Status: True, Reason: "Fine", LastTransitionTime: ago(i)}}
	if i%10 == 0 {
		c[0].Status, c[0].Reason = False, fmt.Sprintf("Broken%d", i%50)
	}
	return c
}

// TestTallyOfTheSameAllocatesNothing: noting unchanged conditions allocates nothing.
func TestTallyOfTheSameAllocatesNothing(t *testing.T) {
	var kept tally
	key, conditions := client.ObjectKey{Namespace: "n", Name: "w"}, conditionsOf(0)
	kept.note(key, conditions)
	expect.NoAllocation(t, func() { kept.note(key, conditions) })
}

// TestTally: in any order, it counts only the last state of each object, and keeps nothing of deleted ones.
func TestTally(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var kept tally
		last := map[string][]Condition{}
		for range rapid.IntRange(1, 50).Draw(t, "notes") {
			name := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "name")
			var conditions []Condition
			for _, conditionType := range []string{"A", "B"}[:rapid.IntRange(0, 2).Draw(t, "conditions")] {
				conditions = append(conditions, Condition{
					Type: conditionType, Status: rapid.SampledFrom([]Status{True, False}).Draw(t, "status"), Reason: rapid.SampledFrom([]string{"X", "Y"}).Draw(t, "reason"),
					LastTransitionTime: rapid.SampledFrom([]time.Time{{}, ago(1), ago(2)}).Draw(t, "since"),
				})
			}
			kept.note(client.ObjectKey{Name: name}, conditions)
			last[name] = conditions
		}
		want := map[seriesKey]series{}
		for _, conditions := range last {
			for _, c := range conditions {
				key := seriesKey{c.Type, string(c.Status), c.Reason}
				want[key] = series{objects: want[key].objects + 1, oldest: earlier(want[key].oldest, unix(c.LastTransitionTime))}
			}
		}
		got := map[seriesKey]*series{}
		kept.addTo(got)
		if len(got) != len(want) || len(kept.series) != len(want) {
			t.Fatalf("%d series, want %d", len(got), len(want))
		}
		for key, one := range got {
			if *one != want[key] {
				t.Errorf("%+v is %+v, want %+v", key, *one, want[key])
			}
		}
		for name := range last {
			kept.note(client.ObjectKey{Name: name}, nil)
		}
		if len(kept.objects)+len(kept.series) > 0 {
			t.Errorf("%d objects and %d series are left", len(kept.objects), len(kept.series))
		}
	})
}

// TestTallyWhileRead: conditions can be noted during a scrape.
func TestTallyWhileRead(t *testing.T) {
	all := &gauges{of: map[*tally]string{}}
	var wait sync.WaitGroup
	for i := range 4 {
		var kept tally
		wait.Go(func() {
			all.add(&kept, "widgets")
			for object := range 100 {
				kept.note(client.ObjectKey{Name: fmt.Sprint(object % 10)}, conditionsOf(i+object))
			}
		})
	}
	for range 10 {
		registry := prometheus.NewPedanticRegistry()
		registry.MustRegister(all)
		if _, err := registry.Gather(); err != nil {
			t.Error(err)
		}
	}
	wait.Wait()
}

// BenchmarkTally measures 100,000 objects.
func BenchmarkTally(b *testing.B) {
	const objects = 100_000
	var kept tally
	keys := make([]client.ObjectKey, objects)
	conditions := make([][]Condition, objects)
	for i := range keys {
		keys[i] = client.ObjectKey{Namespace: "namespace", Name: fmt.Sprintf("object-%d", i)}
		conditions[i] = conditionsOf(i)
		kept.note(keys[i], conditions[i])
	}
	all := &gauges{of: map[*tally]string{&kept: "widgets"}}
	b.Run("first look", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var fresh tally
			for i, key := range keys {
				fresh.note(key, conditions[i])
			}
		}
	})
	b.Run("look", func(b *testing.B) {
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			kept.note(keys[i%objects], conditions[i%objects])
			i++
		}
	})
	b.Run("scrape", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			to := make(chan prometheus.Metric, 100)
			all.Collect(to)
		}
	})
}
