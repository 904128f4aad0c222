package cli

import (
	"strings"
	"testing"

	"github.com/sickbay-dev/sickbay/internal/explain"
)

// TestStatsOfTheUnproven: what nobody knows is neither a success nor a failure.
func TestStatsOfTheUnproven(t *testing.T) {
	var b strings.Builder
	newText(&b).stats(explain.Stats{
		Repairs: 5, Outcomes: map[string]int{"Recovered": 1, "Replaced": 4}, Unproven: 3,
		Steps: []explain.StepStats{{Step: "reboot", Tried: 2, Helped: 1}, {Step: "replace", Tried: 4, Helped: 1, Unproven: 3}, {Step: "swap", Tried: 3, Unproven: 3}},
	})
	want := `5 repairs, 0 of them open. 1 Recovered, 4 Replaced; 3 unproven, since the plan ends when the machine is gone

STEP     TRIED  HELPED    UNPROVEN
reboot   2      1 (50%)   -
replace  4      1 (100%)  3
swap     3      -         3
`
	if b.String() != want {
		t.Errorf("says\n%s\nwant\n%s", b.String(), want)
	}
}

// TestStatusOfWhatHangs: deletions that take long and machines without a Node have sections of their own.
func TestStatusOfWhatHangs(t *testing.T) {
	var b strings.Builder
	newText(&b).fleet(explain.Fleet{
		Deleting: []explain.Item{{Namespace: "ns", Name: "old", Text: "for 14d. Cluster API drains its Node"}},
		Starting: []explain.Item{{Namespace: "ns", Name: "new", Text: "no Node for 3m. InfrastructureReady is False: no host"}},
	}, false)
	if want := "\nDELETING\n  ns/old  for 14d. Cluster API drains its Node\n\nSTARTING\n  ns/new  no Node for 3m. InfrastructureReady is False: no host\n"; !strings.Contains(b.String(), want) {
		t.Errorf("says\n%s\nwant\n%s", b.String(), want)
	}
}

// TestSpansInDays: people give long times in days.
func TestSpansInDays(t *testing.T) {
	for text, want := range map[string]string{"1d": "24h", "1d12h": "36h", "90m": "1h30m"} {
		cmd := newHistory()
		if err := cmd.ParseFlags([]string{"--since=" + text}); err != nil {
			t.Fatal(err)
		}
		if got := cmd.Flags().Lookup("since").Value.String(); got != want {
			t.Errorf("--since=%s is %s, want %s", text, got, want)
		}
	}
}
