package explore

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/sim/explore/plants"
	"github.com/sickbay-dev/sickbay/sim/explore/schedule"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

// workers is how many histories run at once.
const workers = 2

// TestMadeAgain: a person deletes a RebootRemediation before its record could store that it created it. It is created again, and the
// host is cycled once. The planted bug "hasty hosts" breaks a rule in one of these histories.
func TestMadeAgain(t *testing.T) {
	hasty, err := plants.Named("hasty hosts")
	if err != nil {
		t.Fatal(err)
	}
	judge(t, Random(hasty.World, nil, hasty.Seed, 50, 1, workers))
}

func judge(t *testing.T, searched *Searched) {
	t.Helper()
	t.Log(searched)
	for _, found := range searched.Found {
		shrunk := found.Shrink()
		t.Errorf("%s  tell it: %s", shrunk.Story(), shrunk.Command())
	}
	if searched.Points == 0 {
		t.Error("nothing could have gone otherwise")
	}
}

// TestReplay: a history depends only on its schedule.
func TestReplay(t *testing.T) {
	for _, spec := range worlds.All {
		t.Run(spec.Name, func(t *testing.T) {
			tell := func(lines *[]string) func(string) {
				return func(line string) { *lines = append(*lines, line) }
			}
			var first, second []string
			drawn := run(spec, nil, schedule.NewRandom(seedOf(spec, 7)), tell(&first))
			again := run(spec, nil, schedule.NewReplay(drawn.Schedule), tell(&second))
			if diff := cmp.Diff(first, second); diff != "" {
				t.Errorf("it goes otherwise the second time (-first +second):\n%s", diff)
			}
			if diff := cmp.Diff(drawn.Schedule, again.Schedule); diff != "" {
				t.Errorf("schedules (-first +second):\n%s", diff)
			}
		})
	}
}

func TestParseSchedule(t *testing.T) {
	for _, s := range []schedule.Schedule{nil, {{At: 3, Option: 1}, {At: 17, Option: 40}}} {
		parsed, err := schedule.Parse(s.String())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s, parsed); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	for _, text := range []string{"", "3", "3:", ":1", "a:b", "3:1;4:1"} {
		if s, err := schedule.Parse(text); err == nil {
			t.Errorf("%q is %v, want an error", text, s)
		}
	}
}
