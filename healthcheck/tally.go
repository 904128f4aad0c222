package healthcheck

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// tally holds the stored conditions of the objects of one Reconciler. Each run of an object replaces its entry. The zero
// value is ready; it is safe for concurrent use.
type tally struct {
	mu      sync.Mutex
	objects map[client.ObjectKey][]tallied
	series  map[seriesKey]*series
}

// seriesKey identifies a series.
type seriesKey struct{ condition, status, reason string }

// series counts the objects that have one condition with the same status and reason.
type series struct {
	seriesKey
	objects int
	// oldest is the earliest since of these objects. Each scrape computes it again; zero means unknown.
	oldest int64
}

// tallied is one condition of one object, counted in a series. Since is a Unix time; zero means unknown.
type tallied struct {
	*series
	since int64
}

// note replaces the conditions of an object; without conditions, the object is removed. It allocates nothing if they are
// the same.
func (t *tally) note(key client.ObjectKey, conditions []Condition) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.objects[key]
	if slices.EqualFunc(before, conditions, tallied.is) {
		return
	}
	after := make([]tallied, len(conditions))
	for i, c := range conditions {
		after[i] = t.count(c)
	}
	for _, s := range before {
		if s.objects--; s.objects == 0 {
			delete(t.series, s.seriesKey)
		}
	}
	if len(after) == 0 {
		delete(t.objects, key)
		return
	}
	if t.objects == nil {
		t.objects = map[client.ObjectKey][]tallied{}
	}
	t.objects[key] = after
}

func (s tallied) is(c Condition) bool {
	return s.condition == c.Type && s.status == string(c.Status) && s.reason == c.Reason && s.since == unix(c.LastTransitionTime)
}

// count counts a condition. The caller holds the lock.
func (t *tally) count(c Condition) tallied {
	key := seriesKey{c.Type, string(c.Status), c.Reason}
	one := t.series[key]
	if one == nil {
		if t.series == nil {
			t.series = map[seriesKey]*series{}
		}
		one = &series{seriesKey: key}
		t.series[key] = one
	}
	one.objects++
	return tallied{one, unix(c.LastTransitionTime)}
}

func unix(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.Unix()
}

// addTo adds each series to sums.
func (t *tally) addTo(sums map[seriesKey]*series) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, one := range t.series {
		one.oldest = 0
	}
	for _, conditions := range t.objects {
		for _, s := range conditions {
			s.oldest = earlier(s.oldest, s.since)
		}
	}
	for key, one := range t.series {
		// A single label that is not UTF-8 would make the whole scrape fail.
		key = seriesKey{strings.ToValidUTF8(key.condition, "?"), strings.ToValidUTF8(key.status, "?"), strings.ToValidUTF8(key.reason, "?")}
		if sums[key] == nil {
			sums[key] = &series{}
		}
		sums[key].objects += one.objects
		sums[key].oldest = earlier(sums[key].oldest, one.oldest)
	}
}

// earlier returns the earlier of two Unix times, where zero means unknown.
func earlier(a, b int64) int64 { return cmp.Or(min(a, b), a, b) }
