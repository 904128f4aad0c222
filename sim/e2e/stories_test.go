package e2e_test

import (
	"context"
	"sync"
	"testing"

	"github.com/sickbay-dev/sickbay/sim/e2e"
	"github.com/sickbay-dev/sickbay/sim/scenario"
)

// TestStories plays what the demo shows, and then looks at Sickbay at rest.
func TestStories(t *testing.T) {
	t.Parallel()
	metrics := newScraper(t, "stories")
	sick := stand.Sickbay(t, scenario.Namespace, "--remote-conditions-grace-period=5s", "--metrics-bind-address="+metrics.address)
	t.Run("play", func(t *testing.T) {
		all := scenario.All()
		for _, cluster := range scenario.Clusters(all) {
			prepare := sync.OnceValue(func() error {
				return stand.InTurn(func() error {
					ctx, cancel := context.WithTimeout(context.Background(), e2e.Patience)
					defer cancel()
					return scenario.Prepare(ctx, stand.World, cluster, all)
				})
			})
			for _, s := range all {
				if s.Cluster == cluster.Name {
					t.Run(s.Name, func(t *testing.T) { play(t, s, prepare) })
				}
			}
		}
	})
	if !t.Failed() {
		t.Run("rest", func(t *testing.T) { atRest(t, sick, metrics) })
	}
}

func play(t *testing.T, s scenario.Scenario, prepare func() error) {
	t.Parallel()
	if err := prepare(); err != nil {
		t.Fatalf("preparing cluster %s: %v", s.Cluster, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), e2e.Patience)
	defer cancel()
	stage := &scenario.Stage{Scenario: s, World: stand.World, Journal: stand.Journal, Tell: func(l scenario.Line) {
		t.Logf("%s %-8s %s", l.At.Format("15:04:05.000"), l.Kind, l.Text)
	}}
	outcome, err := s.Play(ctx, stage)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", outcome)
}
