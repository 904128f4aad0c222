package pacing_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/internal/repair/pacing"
)

// drawRepairs are repairs of the last two hours in some of the domains.
func drawRepairs(t *rapid.T, label string, domains ...string) []pacing.Repair {
	minutes := func(from, to int) time.Duration {
		return time.Duration(rapid.IntRange(from, to).Draw(t, "minutes")) * minute
	}
	var all []pacing.Repair
	for i := range rapid.IntRange(0, 12).Draw(t, label) {
		began := minutes(0, 120)
		r := atWork(types.UID(fmt.Sprint(label, i)), began)
		if rapid.IntRange(0, 5).Draw(t, "ended") > 0 {
			r = repair(r.UID, began, minutes(0, int(began/minute)), rapid.SampledFrom([]outcome{proven, proven, proven, failed, neither}).Draw(t, "came"))
		}
		r.Domains = slices.Compact([]string{rapid.SampledFrom(domains).Draw(t, "domain"), rapid.SampledFrom(domains).Draw(t, "domain")})
		all = append(all, r)
	}
	return all
}

// count is how many repairs of a domain are like that.
func count(repairs []pacing.Repair, key string, like func(pacing.Repair) bool) int {
	n := 0
	for _, r := range repairs {
		if slices.Contains(r.Domains, key) && like(r) {
			n++
		}
	}
	return n
}

func unproven(r pacing.Repair) bool { return r.Completed.IsZero() }

// TestDomainsAreApart: repairs elsewhere, and the order in which the records are read, change nothing for a domain.
func TestDomainsAreApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		here, elsewhere := drawRepairs(t, "r", "a", "b"), drawRepairs(t, "s", "c", "d")
		due := append(several(3, "m", "a"), several(3, "n", "a", "b")...)
		others := append(several(3, "o", "c"), several(3, "p", "c", "d")...)
		eligible, delayed := pacing.Of(here, now).Order(due)
		all := append(slices.Clone(elsewhere), here...)
		slices.Reverse(all)
		together := append(slices.Clone(others), due...)
		gotEligible, gotDelayed := pacing.Of(all, now).Order(together)
		ours := func(c pacing.Candidate) bool { return slices.Contains(uids(due), string(c.UID)) }
		gotEligible = slices.DeleteFunc(gotEligible, func(c pacing.Candidate) bool { return !ours(c) })
		gotDelayed = slices.DeleteFunc(gotDelayed, func(h pacing.Delayed) bool { return !ours(h.Candidate) })
		if diff := cmp.Diff(uids(eligible), uids(gotEligible)); diff != "" {
			t.Errorf("eligible (-alone +together):\n%s", diff)
		}
		if len(delayed)+len(gotDelayed) > 0 {
			if diff := cmp.Diff(delayed, gotDelayed); diff != "" {
				t.Errorf("delayed (-alone +together):\n%s", diff)
			}
		}
	})
}

// TestOrderProperties: everybody is either served or delayed with a reason, nobody twice; no limit is exceeded; and nobody is delayed
// who has room everywhere and a domain that has cooled down.
func TestOrderProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		repairs := drawRepairs(t, "r", "a", "b", "c")
		var due []pacing.Candidate
		for i := range rapid.IntRange(0, 8).Draw(t, "due") {
			keys := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 2, rapid.ID).Draw(t, "domains")
			due = append(due, candidate(types.UID(fmt.Sprint("m", i)), keys...))
		}
		pace := pacing.Of(repairs, now)
		eligible, delayed := pace.Order(due)
		names := uids(eligible)
		for _, h := range delayed {
			names = append(names, string(h.Candidate.UID))
			if h.Why == "" || (!h.Until.IsZero() && !h.Until.After(now)) {
				t.Errorf("delayed without a reason, or until a time that has passed: %+v", h)
			}
		}
		slices.Sort(names)
		if diff := cmp.Diff(uids(due), names); diff != "" {
			t.Errorf("(-due +answered):\n%s", diff)
		}
		for _, domain := range []string{"a", "b", "c"} {
			before, taken := count(repairs, domain, unproven), 0
			for _, c := range eligible {
				if slices.ContainsFunc(c.Domains, func(d pacing.Domain) bool { return d.Key == domain }) {
					taken++
				}
			}
			if limit := limitOf(pace, domain); taken > max(0, limit-before) {
				t.Errorf("%s has %d unproven repairs, %d more were let in, and %d are allowed", domain, before, taken, limit)
			}
		}
		for _, c := range eligible {
			pace.Take(c)
		}
		if again, _ := pace.Order(due); slices.ContainsFunc(again, func(c pacing.Candidate) bool {
			return len(c.Domains) > 0 && !slices.Contains(uids(eligible), string(c.UID))
		}) {
			t.Errorf("somebody was delayed although there was room: %v, then %v", uids(eligible), uids(again))
		}
	})
}
