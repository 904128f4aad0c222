package monitor

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/owners"
	"github.com/sickbay-dev/sickbay/internal/simulate"
	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/metal"
	"github.com/sickbay-dev/sickbay/sim/explore/schedule"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

// unforeseen are the worlds in which something happens that simulate cannot foresee, and what it is.
var unforeseen = map[string]string{
	"stubborn":       "the API server refuses all writes on a machine",
	"reboot in vain": "a power cycle that heals nothing takes as long as its Node may take to come back",
	"bad metal":      "a power cycle that heals nothing takes as long as its Node may take to come back",
	"control plane":  "a host waits until enough of its control plane is up",
}

// lengths are how long worlds run that never come to rest; the others run for 6 hours.
var lengths = map[string]time.Duration{"bad image": 20*time.Minute - time.Second}

// takes returns how long an act takes in a world to help.
func takes(spec *worlds.Spec) time.Duration {
	switch {
	case spec.Owner == worlds.OwnerDefers:
		return history.Deferred
	case spec.Metal():
		return 2*metal.SwitchTime + metal.BootTime
	}
	return time.Millisecond
}

// assumed returns what simulate should assume about a world.
func assumed(spec *worlds.Spec) simulate.World {
	w := simulate.World{Owners: map[worlds.Owner]simulate.Owners{worlds.OwnerRefuses: simulate.OwnersRefuse, worlds.OwnerSilent: simulate.OwnersSilent}[spec.Owner]}
	if spec.InVain {
		w.Repairs = simulate.RepairsFail
	}
	if spec.BadImage {
		w.Replacements = simulate.ReplacementsSick
	}
	return w
}

// TestSimulatedTimeline: in each world, what simulate predicts happens within a second, if it knows how the world reacts and nobody
// interferes.
func TestSimulatedTimeline(t *testing.T) {
	for _, spec := range slices.Concat(worlds.All, worlds.Small) {
		t.Run(spec.Name, func(t *testing.T) {
			if why := unforeseen[spec.Name]; why != "" {
				t.Skip(why)
			}
			foretell(t, spec, 0)
		})
	}
}

// TestSimulatedFromTheMiddle: the same holds for what stands when the simulation begins: marks, requests and records.
func TestSimulatedFromTheMiddle(t *testing.T) {
	for _, spec := range slices.Concat(worlds.All, worlds.Small) {
		if unforeseen[spec.Name] != "" || spec.Metal() || spec.Owner == worlds.OwnerDefers {
			// What is under way there has its own time left, and simulate assumes that it takes as long as anew.
			continue
		}
		for _, since := range []time.Duration{90 * time.Second, 210 * time.Second, 630 * time.Second, 61*time.Minute + 30*time.Second} {
			t.Run(fmt.Sprintf("%s after %s", spec.Name, since), func(t *testing.T) {
				foretell(t, spec, since)
			})
		}
	}
}

// foretell has a world run for a while, simulates what comes next, and compares that with what happens.
func foretell(t *testing.T, spec *worlds.Spec, since time.Duration) {
	t.Helper()
	length := cmp.Or(lengths[spec.Name], 6*time.Hour)
	w := history.New(spec, nil, schedule.NewReplay(nil), nil)
	Watch(w)
	w.Quiet = true
	if since > 0 {
		w.Rest(since, nil, nil)
	}
	before, err := w.Outside().Look(w.Ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	reader := owners.Reader{Live: w.Outside().Live}
	for _, m := range before.Machines {
		if m.Owner, err = reader.Of(w.Ctx, m.Machine, nil); err != nil {
			t.Fatal(err)
		}
	}
	scene, err := simulate.Suppose(&before, simulate.Changes{}, mhcspec.Policy{Adopt: mhcspec.AdoptAll})
	if err != nil {
		t.Fatal(err)
	}
	result, err := scene.Play(simulate.Options{For: length, RepairTakes: takes(spec), World: assumed(spec)})
	if err != nil {
		t.Fatal(err)
	}
	w.Rest(length, nil, nil)
	if w.Failure != nil {
		t.Fatal(w.Failure)
	}
	after, err := w.Outside().Look(w.Ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	said, happened := simulated(made(before), result), recorded(after, before.Now)
	if !slices.EqualFunc(said, happened, func(a, b moment) bool {
		return a.machine == b.machine && a.what == b.what && a.at.Sub(b.at).Abs() <= soonEnough
	}) {
		t.Errorf("simulate said\n%sand it happened\n%s", told(said), told(happened))
	}
}

// made returns how many machines a world has made.
func made(facts explain.Facts) int {
	most := 0
	count := func(name string) {
		n, err := strconv.Atoi(strings.TrimPrefix(name, "m"))
		if err == nil {
			most = max(most, n)
		}
	}
	for _, m := range facts.Machines {
		count(m.Machine.Name)
	}
	for _, r := range facts.Records {
		count(r.Record.Spec.MachineRef.Name)
	}
	return most
}

// moment is one event of a machine.
type moment struct {
	machine, what string
	at            time.Time
}

func told(all []moment) string {
	var b strings.Builder
	for _, one := range all {
		fmt.Fprintf(&b, "  %s %s %s\n", one.machine, one.what, one.at.Sub(history.Start))
	}
	return b.String()
}

// simulated returns the admissions, timeouts and ends of repairs in a timeline. It gives new machines the names that they get in the world.
func simulated(made int, result simulate.Result) []moment {
	var all []moment
	names := map[string]string{}
	for _, e := range result.Timeline {
		for _, simulated := range e.Machines {
			machine := cmp.Or(names[simulated], simulated)
			if e.Kind == simulate.KindGone {
				made++
				names[successor(simulated)] = fmt.Sprintf("m%d", made)
			}
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

// successor returns simulate's name for the replacement of a machine: NAME-new, then NAME-new2.
func successor(name string) string {
	was, n, again := strings.Cut(name, "-new")
	if !again {
		return name + "-new"
	}
	generation, _ := strconv.Atoi(cmp.Or(n, "1"))
	return fmt.Sprintf("%s-new%d", was, generation+1)
}

// recorded returns the same moments from the records, since the simulation began.
func recorded(facts explain.Facts, since time.Time) []moment {
	var all []moment
	for _, one := range facts.Records {
		r, machine := one.Record, one.Record.Spec.MachineRef.Name
		if !r.CreationTimestamp.Time.Before(since) {
			all = append(all, moment{machine, "admitted", r.CreationTimestamp.Time})
		}
		for _, attempt := range r.Status.Attempts {
			if attempt.Result == v1alpha1.ResultTimedOut && attempt.EndTime.After(since) {
				all = append(all, moment{machine, "timed out", attempt.EndTime.Time})
			}
		}
		if c := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.ConditionSucceeded); c != nil && r.Status.CompletionTime != nil && r.Status.CompletionTime.After(since) {
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
