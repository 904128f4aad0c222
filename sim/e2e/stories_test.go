package e2e_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/sickbay-dev/sickbay/internal/app"
	"github.com/sickbay-dev/sickbay/sim/e2e"
	"github.com/sickbay-dev/sickbay/sim/forecast"
	"github.com/sickbay-dev/sickbay/sim/scenario"
)

// TestStories plays the stories of the demo, and then looks at Sickbay at rest. Each controller runs in its own process, with only its own
// rights: they share nothing but the API.
func TestStories(t *testing.T) {
	t.Parallel()
	// However long the stories take, no sync period ends while Sickbay should be at rest.
	sick := newSplit(t, scenario.Namespace, "--remote-conditions-grace-period=5s", "--sync-period=24h")
	watcher := foretells(t)
	t.Run("play", func(t *testing.T) {
		all := scenario.All()
		for _, cluster := range scenario.Clusters(all) {
			prepare := sync.OnceValue(func() error {
				return harness.InTurn(func() error {
					ctx, cancel := context.WithTimeout(context.Background(), e2e.Patience)
					defer cancel()
					return scenario.Prepare(ctx, harness.World, cluster, all)
				})
			})
			for _, s := range all {
				if s.Cluster == cluster.Name {
					t.Run(s.Name, func(t *testing.T) { play(t, s, prepare) })
				}
			}
		}
	})
	t.Run("foretold", func(t *testing.T) { cameTrue(t, watcher) })
	if !t.Failed() {
		t.Run("metrics", func(t *testing.T) { measured(t, sick) })
		t.Run("rest", func(t *testing.T) { atRest(t, sick) })
	}
}

// lateAtMost is how much later than explain predicted something may happen, whatever else the machine does. Anything later than a second
// must have an excuse, too. The explorer tests the second without excuses.
const lateAtMost = 15 * time.Second

// foretells asks explain all the time what happens next.
func foretells(t *testing.T) *forecast.Watcher {
	t.Helper()
	o := app.DefaultOptions()
	o.Namespace, o.RemoteConditionsGracePeriod = scenario.Namespace, 5*time.Second
	w, err := forecast.Watch(t.Context(), harness.World.Config(), o, lateAtMost)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// cameTrue checks that explain's predictions came true in all stories.
func cameTrue(t *testing.T, w *forecast.Watcher) {
	t.Helper()
	r := w.Report()
	t.Logf("%d times explain said what happened next, %d times it happened within a second, and %d times later, as the machine was busy", r.Kept, r.Prompt, r.Excused)
	for _, one := range r.Late {
		t.Errorf("late: %s", one)
	}
	for _, one := range r.Broken {
		t.Error(one)
	}
	if r.Kept < 20 {
		t.Error("hardly anything was foretold")
	}
}

func play(t *testing.T, s scenario.Scenario, prepare func() error) {
	t.Helper()
	t.Parallel()
	if err := prepare(); err != nil {
		t.Fatalf("preparing cluster %s: %v", s.Cluster, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), scenario.Patience)
	defer cancel()
	stage := &scenario.Stage{Scenario: s, World: harness.World, Journal: harness.Journal, Tell: func(l scenario.Line) {
		t.Logf("%s %-8s %s", l.At.Format("15:04:05.000"), l.Kind, l.Text)
	}}
	outcome, err := s.Play(ctx, stage)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", outcome)
}

// measured shows that the metrics reflect what happened in all stories.
func measured(t *testing.T, metrics *split) {
	t.Helper()
	g := newTest(t)
	g.Eventually(func(g Gomega) {
		found := metrics.scrape(t, "sickbay_")
		replaced := 0.0
		for name, n := range found {
			if strings.HasPrefix(name, `sickbay_remediation_attempts_total{action="Replace",outcome="Started"`) {
				replaced += n
			}
		}
		g.Expect(replaced).To(BeNumerically(">=", 8),
			"one for each story but three, and more where a machine was so slow that a replacement was replaced")
		g.Expect(found[`sickbay_detection_delay_seconds_count`]).To(BeNumerically(">", 0))
		for _, s := range scenario.All() {
			of := fmt.Sprintf(`{machinehealthcheck=%q,namespace=%q}`, s.Name, scenario.Namespace)
			g.Expect(found).To(HaveKeyWithValue("sickbay_short_circuit"+of, BeZero()))
			g.Expect(found).To(HaveKeyWithValue("sickbay_paused"+of, BeZero()))
			g.Expect(found).To(HaveKeyWithValue(fmt.Sprintf(`sickbay_machines{check="Succeeded",machinehealthcheck=%q,namespace=%q,verdict="True"}`,
				s.Name, scenario.Namespace), BeNumerically(">=", s.Workers)))
		}
		for _, cluster := range scenario.Clusters(scenario.All()) {
			g.Expect(found).To(HaveKeyWithValue(fmt.Sprintf(`sickbay_workload_cluster_reachable{cluster=%q,namespace=%q}`, cluster.Name, cluster.Namespace), BeEquivalentTo(1)))
		}
	}).Should(Succeed())
}
