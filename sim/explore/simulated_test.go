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

// foreseen are worlds in which happens what simulate takes for granted: acts help at once, or never, and nobody meddles.
var foreseen = []string{"replace", "unowned", "reboot", "reboot in vain", "request", "gate", "cloud plan", "metal plan"}

// TestSimulatedTimeline: what simulate says will happen is what happens, within a second.
func TestSimulatedTimeline(t *testing.T) {
	const length = 6 * time.Hour
	for _, name := range foreseen {
		t.Run(name, func(t *testing.T) {
			spec := WorldNamed(name)
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
			result, err := scene.Play(simulate.Options{For: length, RepairTakes: time.Millisecond, InVain: spec.InVain})
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
