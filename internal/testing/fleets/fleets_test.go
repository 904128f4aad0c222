package fleets_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/testing/fleets"
)

// TestFleets: each fleet is what its name says.
func TestFleets(t *testing.T) {
	now := time.Date(2026, time.January, 10, 12, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		facts explain.Facts
		want  string
	}{
		"empty":      {fleets.Empty(now), "0 clusters, 0 machines: 0 healthy"},
		"eleven":     {fleets.Eleven(now), "4 clusters, 11 machines: 2 healthy, 3 sick, 1 sick and on hold, 1 held, 1 in repair, 1 in probation, 1 undecided, 1 paused"},
		"many":       {fleets.Many(now, 10000), "40 clusters, 10000 machines: 9800 healthy, 80 sick, 40 in repair, 40 in probation, 40 undecided"},
		"all sick":   {fleets.AllSick(now), "3 clusters, 60 machines: 0 healthy, 60 sick"},
		"unreadable": {fleets.Unreadable(now), "3 clusters, 15 machines: 0 healthy, 15 undecided"},
		"hostile":    {fleets.Hostile(now), "2 clusters, 3 machines: 0 healthy, 2 sick and on hold, 1 paused"},
	} {
		fleet := tt.facts.Fleet()
		if diff := cmp.Diff(tt.want, fleet.Summary()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
