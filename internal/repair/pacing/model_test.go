package pacing_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/internal/repair/pacing"
)

// model is a cluster in which machines are repaired at the pace of this package, looked at every half minute.
type model struct {
	now     time.Time
	due     []pacing.Candidate
	repairs []pacing.Repair
	// serve says how many of those who are eligible get a slot, takes how long a repair takes, comes what comes of it.
	serve func(eligible int) int
	takes func() time.Duration
	comes func(pacing.Candidate) outcome
	// atWork are the repairs that are not over, by their place in repairs.
	atWork map[int]end
	// served is when each machine was.
	served map[string]time.Time
}

type end struct {
	at   time.Time
	came outcome
}

func newModel(due ...pacing.Candidate) *model {
	return &model{
		now: now, due: due, atWork: map[int]end{}, served: map[string]time.Time{},
		serve: func(n int) int { return n },
		takes: func() time.Duration { return 5 * minute },
		comes: func(pacing.Candidate) outcome { return proven },
	}
}

// look ends what is over, and begins what may begin.
func (w *model) look() {
	for i, end := range w.atWork {
		if !w.now.Before(end.at) {
			w.repairs[i].Completed, w.repairs[i].Proven, w.repairs[i].Failed = end.at, end.came == proven, end.came == failed
			delete(w.atWork, i)
		}
	}
	eligible, _ := pacing.Of(w.repairs, w.now).Order(w.due)
	for _, c := range eligible[:w.serve(len(eligible))] {
		r := pacing.Repair{UID: c.UID, Started: w.now, Served: w.now}
		for _, d := range c.Domains {
			r.Domains = append(r.Domains, d.Key)
		}
		w.repairs = append(w.repairs, r)
		w.atWork[len(w.repairs)-1] = end{w.now.Add(w.takes()), w.comes(c)}
		w.served[string(c.UID)] = w.now
		w.due = slices.DeleteFunc(w.due, func(d pacing.Candidate) bool { return d.UID == c.UID })
	}
}

// run looks until nobody is due or the time is over. It returns how long that took.
func (w *model) run(most time.Duration) time.Duration {
	from := w.now
	for ; len(w.due) > 0 && w.now.Sub(from) < most; w.now = w.now.Add(minute / 2) {
		w.look()
	}
	return w.now.Sub(from)
}

// TestRealFaults: 100 machines of one owner are really broken. All are repaired within an hour, and the first alone.
func TestRealFaults(t *testing.T) {
	w := newModel(several(100, "m", "a", "z")...)
	w.look()
	if len(w.served) != 1 {
		t.Errorf("%d are repaired before anything is proven", len(w.served))
	}
	if took := w.run(24 * time.Hour); len(w.due) > 0 || took > time.Hour {
		t.Errorf("%d are left after %s", len(w.due), took)
	}
}

// TestBadImage: what comes in the place of the machines of one owner never comes up. One is tried at a time, ever more slowly.
func TestBadImage(t *testing.T) {
	w := newModel(several(100, "m", "a", "z")...)
	w.comes = func(pacing.Candidate) outcome { return failed }
	w.run(3 * time.Hour)
	// Each takes 5 minutes, and rests 8 to 10 minutes after it.
	if n := len(w.served); n < 12 || n > 16 {
		t.Errorf("%d were tried in 3 hours", n)
	}
	// The image is mended.
	w.comes = func(pacing.Candidate) outcome { return proven }
	if took := w.run(24 * time.Hour); len(w.due) > 0 || took > time.Hour {
		t.Errorf("%d are left %s after the cause is gone", len(w.due), took)
	}
}

// TestLoneFault: a flood of failures in one domain does not delay a lone fault in another at all; and where both are in one
// failure domain, nobody of the flood is served before it.
func TestLoneFault(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newModel(several(40, "flood", "a", "z")...)
		w.comes = func(pacing.Candidate) outcome { return failed }
		w.takes = func() time.Duration { return time.Duration(rapid.IntRange(1, 30).Draw(t, "takes")) * minute }
		w.run(time.Duration(rapid.IntRange(0, 90).Draw(t, "flood")) * minute)
		came := w.now
		w.due = append(w.due, candidate("apart", "b", "y"), candidate("beside", "c", "z"))
		w.look()
		if !w.served["apart"].Equal(came) {
			t.Fatal("a fault that shares nothing with the flood has to wait")
		}
		for w.served["beside"].IsZero() {
			w.now = w.now.Add(minute / 2)
			w.look()
			if w.now.Sub(came) > 31*minute {
				t.Fatal("a fault in the same failure domain waits for more than the one repair at work")
			}
		}
		for uid, at := range w.served {
			if uid != "beside" && at.After(came) && at.Before(w.served["beside"]) {
				t.Fatalf("%s of the flood was served before it", uid)
			}
		}
	})
}

// TestEverybodyIsServed: whatever comes of the repairs, however long they take, and however few slots there are.
func TestEverybodyIsServed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newModel()
		keys := [][]string{{"a", "y"}, {"a", "z"}, {"b", "z"}, {"c", "y"}}
		n := rapid.IntRange(1, 15).Draw(t, "machines")
		for _, c := range several(n, "m") {
			w.due = append(w.due, candidate(c.UID, rapid.SampledFrom(keys).Draw(t, "domains")...))
		}
		w.serve = func(eligible int) int { return min(eligible, rapid.IntRange(1, 3).Draw(t, "slots")) }
		w.takes = func() time.Duration { return time.Duration(rapid.IntRange(1, 30).Draw(t, "takes")) * minute }
		w.comes = func(pacing.Candidate) outcome {
			return rapid.SampledFrom([]outcome{proven, failed, neither}).Draw(t, "comes")
		}
		// One after the other, each repair as long as can be, and rested after it as long as can be.
		if took := w.run(time.Duration(n) * 41 * minute); len(w.due) > 0 {
			t.Errorf("%d of %d still wait after %s", len(w.due), n, took)
		}
	})
}
