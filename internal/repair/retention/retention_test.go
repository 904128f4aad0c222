package retention_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/internal/repair/retention"
)

var now = time.Date(2026, time.January, 31, 0, 0, 0, 0, time.UTC)

const day = 24 * time.Hour

// some returns n records of one MachineHealthCheck, each of a machine of its own that is gone, which ended a minute after
// each other; the latest, r0, at the given time ago.
func some(n int, ago time.Duration) []retention.Record {
	records := make([]retention.Record, n)
	for i := range records {
		records[i] = retention.Record{
			UID: types.UID(fmt.Sprintf("r%d", i)), HealthCheck: "mhc", Machine: types.UID(fmt.Sprintf("m%d", i)), Ordinal: 1,
			Ended: now.Add(-ago - time.Duration(i)*time.Minute),
		}
	}
	return records
}

// with changes all records.
func with(records []retention.Record, change func(i int, r *retention.Record)) []retention.Record {
	for i := range records {
		change(i, &records[i])
	}
	return records
}

func uids(from, to int) []types.UID {
	var list []types.UID
	for i := to; i >= from; i-- {
		list = append(list, types.UID(fmt.Sprintf("r%d", i)))
	}
	return list
}

func TestDue(t *testing.T) {
	ofOneMachine := func(lives bool) func(int, *retention.Record) {
		return func(i int, r *retention.Record) { r.Machine, r.MachineLives, r.Ordinal = "m", lives, 100-i }
	}
	ofOneHost := func(lives bool) func(int, *retention.Record) {
		return func(_ int, r *retention.Record) { r.Host, r.HostLives = "h", lives }
	}
	window := func(window time.Duration) func(int, *retention.Record) {
		return func(_ int, r *retention.Record) { r.Window = window }
	}
	tests := map[string]struct {
		records []retention.Record
		want    []types.UID
	}{
		"none":                               {nil, nil},
		"young":                              {some(3, time.Hour), nil},
		"a moment too young":                 {some(1, 7*day-time.Nanosecond), nil},
		"old enough":                         {some(1, 7*day), uids(0, 0)},
		"too many":                           {some(52, time.Hour), uids(50, 51)},
		"too many, and old":                  {some(52, 8*day), uids(0, 51)},
		"too many of several":                {with(some(60, time.Hour), func(i int, r *retention.Record) { r.HealthCheck = types.UID(fmt.Sprint(i % 2)) }), nil},
		"open ones, however old":             {with(some(60, 8*day), func(_ int, r *retention.Record) { r.Ended = time.Time{} }), nil},
		"in the relapse window":              {with(some(60, 8*day), window(9*day)), nil},
		"after the relapse window":           {with(some(1, 8*day), window(8*day)), uids(0, 0)},
		"after a short one, but not old":     {with(some(1, 6*day), window(day)), nil},
		"of a machine that lives":            {with(some(12, 30*day), ofOneMachine(true)), uids(10, 11)},
		"of a machine that is gone":          {with(some(12, 30*day), ofOneMachine(false)), uids(0, 11)},
		"the last of a machine do not count": {append(with(some(10, time.Hour), ofOneMachine(true)), with(some(50, 2*time.Hour), func(i int, r *retention.Record) { r.UID = types.UID(fmt.Sprintf("x%d", i)) })...), nil},
		"of a host that lives":               {with(some(12, 30*day), ofOneHost(true)), uids(10, 11)},
		"of a host that is gone":             {with(some(12, 30*day), ofOneHost(false)), uids(0, 11)},
		"the highest ordinal ended long ago": {with(some(12, 30*day), func(i int, r *retention.Record) { r.Machine, r.MachineLives, r.Ordinal = "m", true, i+1 }), uids(10, 10)},
		"the highest ordinal is that of an open one": {
			with(some(12, 30*day), func(i int, r *retention.Record) {
				r.Machine, r.MachineLives, r.Ordinal = "m", true, 12-i
				if i == 0 {
					r.Ended = time.Time{}
				}
			}), uids(11, 11),
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := retention.Limits{}.OrDefault().Due(tt.records, now)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("due (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDueAt(t *testing.T) {
	limits := retention.Limits{Age: day, Count: 1}
	tests := map[string]struct {
		record retention.Record
		want   time.Time
	}{
		"open":        {retention.Record{}, time.Time{}},
		"no window":   {retention.Record{Ended: now}, now.Add(day)},
		"long window": {retention.Record{Ended: now, Window: 2 * day}, now.Add(2 * day)},
	}
	for name, tt := range tests {
		if got := limits.DueAt(tt.record); !got.Equal(tt.want) {
			t.Errorf("%s: due at %s, want %s", name, got, tt.want)
		}
	}
}

// TestDueKeepsItsPromises, whatever the records.
func TestDueKeepsItsPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limits := retention.Limits{Age: day, Count: rapid.IntRange(1, 3).Draw(t, "count")}
		records := drawRecords(t)
		due := limits.Due(records, now)
		if slices.ContainsFunc(due, func(uid types.UID) bool { return mustStay(records, uid) }) {
			t.Fatalf("goes, and must not: %v of %+v", due, records)
		}
		left := slices.DeleteFunc(slices.Clone(records), func(r retention.Record) bool { return slices.Contains(due, r.UID) })
		if again := limits.Due(left, now); len(again) > 0 {
			t.Errorf("once they are gone, others go: %v", again)
		}
		later := limits.Due(records, now.Add(time.Hour))
		for _, uid := range due {
			if !slices.Contains(later, uid) {
				t.Errorf("%s goes now and stays later", uid)
			}
		}
	})
}

func drawRecords(t *rapid.T) []retention.Record {
	alive := func(uid types.UID) bool { return uid != "" && uid[0] == 'a' }
	var records []retention.Record
	for i := range rapid.IntRange(0, 30).Draw(t, "n") {
		r := retention.Record{
			UID:         types.UID(fmt.Sprint(i)),
			HealthCheck: rapid.SampledFrom([]types.UID{"c1", "c2"}).Draw(t, "check"),
			Machine:     rapid.SampledFrom([]types.UID{"a1", "d1", "d2"}).Draw(t, "machine"),
			Host:        rapid.SampledFrom([]types.UID{"", "ah", "dh"}).Draw(t, "host"),
			Ordinal:     i + 1,
			Window:      time.Duration(rapid.IntRange(0, 48).Draw(t, "window")) * time.Hour,
		}
		r.MachineLives, r.HostLives = alive(r.Machine), alive(r.Host)
		if ago := rapid.IntRange(0, 72).Draw(t, "ago"); ago > 0 {
			r.Ended = now.Add(-time.Duration(ago) * time.Hour)
		}
		records = append(records, r)
	}
	return records
}

// mustStay reports whether a record must be kept: it is open, in its window, or the highest of a machine that lives.
func mustStay(records []retention.Record, uid types.UID) bool {
	i := slices.IndexFunc(records, func(r retention.Record) bool { return r.UID == uid })
	r := records[i]
	highest := !slices.ContainsFunc(records, func(o retention.Record) bool { return o.Machine == r.Machine && o.Ordinal > r.Ordinal })
	return r.Ended.IsZero() || now.Before(r.Ended.Add(r.Window)) || (r.MachineLives && highest)
}
