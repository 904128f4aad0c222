package explore

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/simulate"
	"github.com/sickbay-dev/sickbay/internal/targets"
)

// unforeseen are the worlds in which something happens that simulate takes for granted not to happen, and what that is.
var unforeseen = map[string]string{
	"owners":       "the owner refuses",
	"pool":         "the owner never answers",
	"quiet pool":   "the owner never answers",
	"stubborn":     "writes on a machine always fail",
	"bad image":    "what takes the place of a machine gets a Node, and is sick all the same",
	"bad cloud":    "what takes the place of a machine gets a Node, and is sick all the same",
	"bad metal":    "power cycles and requests say at once that they have failed",
	"left mark":    leftOver,
	"left reboot":  leftOver,
	"left request": leftOver,
}

// Of what an earlier version has left, simulate plays what the record does about it.
const leftOver = "others carry out what an earlier version has asked for; simulate takes only what it begins itself to help"

// takes is how long an act takes in a world until it helps.
func takes(spec *Spec) time.Duration {
	if spec.Owner == OwnerDefers {
		return deferred
	}
	return time.Millisecond
}

// TestSimulatedTimeline: what simulate says will happen is what happens, within a second, in each world that is as it takes it to be: acts
// help after the same time, or never, and nobody meddles.
func TestSimulatedTimeline(t *testing.T) {
	const length = 6 * time.Hour
	for _, spec := range slices.Concat(Worlds, SmallWorlds) {
		t.Run(spec.Name, func(t *testing.T) {
			if why := unforeseen[spec.Name]; why != "" {
				t.Skip(why)
			}
			w := newWorld(spec, nil, newReplay(nil), nil)
			w.quiet = true
			before, err := w.onlooker().Look(w.ctx, "")
			if err != nil {
				t.Fatal(err)
			}
			scene, err := simulate.Suppose(&before, simulate.Changes{}, targets.Policy{Adopt: targets.AdoptAll})
			if err != nil {
				t.Fatal(err)
			}
			result, err := scene.Play(simulate.Options{For: length, RepairTakes: takes(spec), InVain: spec.InVain})
			if err != nil {
				t.Fatal(err)
			}
			w.rest(length, nil, nil)
			if w.failure != nil {
				t.Fatal(w.failure)
			}
			after, err := w.onlooker().Look(w.ctx, "")
			if err != nil {
				t.Fatal(err)
			}
			said, happened := simulated(result), recorded(after, before.Now)
			if !slices.EqualFunc(said, happened, func(a, b moment) bool {
				return a.machine == b.machine && a.what == b.what && a.at.Sub(b.at).Abs() <= soonEnough
			}) {
				t.Errorf("simulate said\n%sand it happened\n%s", told(said), told(happened))
			}
		})
	}
}

// moment is something that happens to a machine.
type moment struct {
	machine, what string
	at            time.Time
}

func told(all []moment) string {
	var b strings.Builder
	for _, one := range all {
		fmt.Fprintf(&b, "  %s %s %s\n", one.machine, one.what, one.at.Sub(start))
	}
	return b.String()
}

// simulated are the admissions, the timeouts and the ends of repairs in a timeline.
func simulated(result simulate.Result) []moment {
	var all []moment
	for _, e := range result.Timeline {
		for _, machine := range e.Machines {
			if e.Kind == simulate.KindAdmitted {
				all = append(all, moment{machine, "admitted", e.At})
			}
			if strings.Contains(e.What, "times out") || strings.Contains(e.What, "time out") {
				all = append(all, moment{machine, "timed out", e.At})
			}
			if _, reason, ends := strings.Cut(strings.ReplaceAll(e.What, "repairs end:", "repair ends:"), "repair ends: "); ends {
				all = append(all, moment{machine, reason, e.At})
			}
		}
	}
	return sorted(all)
}

// recorded are the same as the records tell them.
func recorded(facts explain.Facts, since time.Time) []moment {
	var all []moment
	for _, one := range facts.Records {
		r, machine := one.Record, one.Record.Spec.MachineRef.Name
		if !r.CreationTimestamp.Time.Before(since) {
			all = append(all, moment{machine, "admitted", r.CreationTimestamp.Time})
		}
		for _, attempt := range r.Status.Attempts {
			if attempt.Result == v1alpha1.ResultTimedOut {
				all = append(all, moment{machine, "timed out", attempt.EndTime.Time})
			}
		}
		if c := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.ConditionSucceeded); c != nil && r.Status.CompletionTime != nil {
			all = append(all, moment{machine, c.Reason, r.Status.CompletionTime.Time})
		}
	}
	return sorted(all)
}

func sorted(all []moment) []moment {
	slices.SortFunc(all, func(a, b moment) int {
		return cmp.Or(cmp.Compare(a.machine, b.machine), cmp.Compare(a.what, b.what), a.at.Compare(b.at))
	})
	return all
}
