package contest

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func pod() *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "p", UID: "1"}}
}

// theirs is the digest of what somebody else writes.
func theirs(string) uint64 { return 2 }

// TestPausesDouble: the engine answers at once a few times, then gives way, and says so once.
func TestPausesDouble(t *testing.T) {
	var c Contests
	obj, now := pod(), noon
	var pauses []time.Duration
	news := 0
	for range 100 {
		c.Wrote(obj, Left{"Warm", 1})
		now = now.Add(time.Second)
		found := c.Look(obj, now, theirs)
		if len(found) != 1 || len(c.Look(obj, now, theirs)) > 0 {
			t.Fatalf("it was overwritten once, and is found %+v", found)
		}
		pauses = append(pauses, found[0].Pause)
		if found[0].News {
			news++
		}
		yields, until := c.Yields(obj, now)
		if want := found[0].Pause > 0; (len(yields) == 1) != want || (want && !until.Equal(now.Add(found[0].Pause))) {
			t.Errorf("it gives way for %v until %s, want %s", yields, until, found[0].Pause)
		}
		now = now.Add(found[0].Pause)
	}
	want := []time.Duration{0, 0, 0, 10 * time.Second, 20 * time.Second, 40 * time.Second, 80 * time.Second, 160 * time.Second, 320 * time.Second}
	want = append(want, slices.Repeat([]time.Duration{lastPause}, 100-len(want))...)
	if diff := cmp.Diff(want, pauses); diff != "" || news != 1 {
		t.Errorf("it is news %d times; pauses (-want +got):\n%s", news, diff)
	}
}

// TestContestEnds: somebody who overwrites a condition now and then is answered at once each time.
func TestContestEnds(t *testing.T) {
	var c Contests
	obj, now := pod(), noon
	for range 20 {
		c.Wrote(obj, Left{"Warm", 1})
		now = now.Add(2 * time.Minute)
		if found := c.Look(obj, now, theirs); len(found) != 1 || found[0].Pause > 0 {
			t.Errorf("found %+v", found)
		}
	}
}

// TestContestGoesOn: somebody who waits for a while before each overwriting does not reset the pauses.
func TestContestGoesOn(t *testing.T) {
	var c Contests
	obj, now := pod(), noon
	for times := 1; times <= 10; times++ {
		c.Wrote(obj, Left{"Warm", 1})
		found := c.Look(obj, now, theirs)
		if len(found) != 1 || found[0].Pause != pauseAfter(times) {
			t.Fatalf("for the %d. time it is found %+v", times, found)
		}
		now = now.Add(2*found[0].Pause + quiet)
	}
}

// TestFirstPauseEnds: of several contests, the first that ends is the next to look at. What was written last counts.
func TestFirstPauseEnds(t *testing.T) {
	var c Contests
	obj := pod()
	for i := range 5 {
		c.Wrote(obj, Left{"Warm", 1})
		if i > 0 {
			c.Wrote(obj, Left{"Dry", 1})
		}
		c.Look(obj, noon, theirs)
	}
	types, until := c.Yields(obj, noon)
	if diff := cmp.Diff([]string{"Warm", "Dry"}, types); diff != "" || !until.Equal(noon.Add(firstPause)) {
		t.Errorf("it gives way until %s (-want +got):\n%s", until, diff)
	}
	c.Wrote(obj, Left{"Cold", 1})
	c.Wrote(obj, Left{"Cold", 2})
	if found := c.Look(obj, noon, theirs); len(found) > 0 {
		t.Errorf("it is as it was written last, and found %+v", found)
	}
}

// TestOnlyOverwrittenConditionsCount, each by itself.
func TestOnlyOverwrittenConditionsCount(t *testing.T) {
	var c Contests
	obj := pod()
	for i := range 5 {
		c.Wrote(obj, Left{"Warm", 1}, Left{"Fine", 2}, Left{"Gone", Absent})
		found := c.Look(obj, noon.Add(time.Duration(i)*time.Second), func(conditionType string) uint64 {
			return map[string]uint64{"Warm": 3, "Fine": 2}[conditionType]
		})
		if len(found) != 1 || found[0].Type != "Warm" {
			t.Fatalf("found %+v", found)
		}
	}
	yields, _ := c.Yields(obj, noon.Add(5*time.Second))
	if diff := cmp.Diff([]string{"Warm"}, yields); diff != "" {
		t.Errorf("it gives way (-want +got):\n%s", diff)
	}
	other := pod()
	other.UID = "another"
	if found := c.Look(other, noon, theirs); len(found) > 0 {
		t.Errorf("another object of the same name is found %+v", found)
	}
	if yields, _ := c.Yields(other, noon.Add(5*time.Second)); len(yields) > 0 {
		t.Errorf("for another object of the same name it gives way: %v", yields)
	}
}
