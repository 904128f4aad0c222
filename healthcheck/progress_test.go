package healthcheck

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"
)

func rolling(cause string) Result {
	return Result{Status: Progressing, Reason: "RollingOut", Cause: cause, Within: time.Minute}
}

// since returns a clock of the check "c" that began some seconds ago.
func since(cause string, seconds int) Progress {
	return Progress{Condition: "Ready", Check: "c", Cause: cause, Since: ago(seconds)}
}

func ago(seconds int) time.Time {
	return testNow.Truncate(time.Second).Add(-time.Duration(seconds) * time.Second)
}

// TestClocksByCause: each cause has its own clock, from when it is first seen until the check passes.
func TestClocksByCause(t *testing.T) {
	other := Progress{Condition: "Ready", Check: "d", Cause: "a", Since: ago(50)}
	foreign := Progress{Condition: "Other", Check: "c", Cause: "a", Since: ago(50)}
	var eight []Progress
	for i, cause := range strings.Split("abcdefgh", "") {
		eight = append(eight, since(cause, 89-i))
	}
	tests := map[string]struct {
		stored   []Progress
		result   Result
		deadline time.Time
		kept     []Progress
	}{
		"the first time":         {nil, rolling("a"), ago(-60), []Progress{since("a", 0)}},
		"again":                  {[]Progress{since("a", 20)}, rolling("a"), ago(-40), []Progress{since("a", 20)}},
		"for too long":           {[]Progress{since("a", 70)}, rolling("a"), ago(10), []Progress{since("a", 70)}},
		"a cause by the reason":  {[]Progress{since("RollingOut", 20)}, rolling(""), ago(-40), []Progress{since("RollingOut", 20)}},
		"another cause":          {[]Progress{since("a", 70)}, rolling("b"), ago(-60), []Progress{since("a", 70), since("b", 0)}},
		"the first cause again":  {[]Progress{since("a", 70), since("b", 10)}, rolling("a"), ago(10), []Progress{since("a", 70), since("b", 10)}},
		"clocks of other checks": {[]Progress{other, foreign}, rolling("a"), ago(-60), []Progress{since("a", 0)}},
		"passed":                 {[]Progress{since("a", 20)}, Result{Status: True}, time.Time{}, nil},
		"skipped":                {[]Progress{since("a", 20)}, Result{Status: Skipped}, time.Time{}, nil},
		"failed":                 {[]Progress{since("a", 20)}, Result{Status: False}, time.Time{}, []Progress{since("a", 20)}},
		"not carried out":        {[]Progress{since("a", 20)}, Result{Status: Unknown}, time.Time{}, []Progress{since("a", 20)}},
		"a deadline of its own":  {[]Progress{since("a", 20)}, Result{Status: Progressing, Deadline: ago(-5), Within: time.Hour}, ago(-5), []Progress{since("a", 20)}},
		"no time at all":         {nil, Result{Status: Progressing}, time.Time{}, nil},
		"one cause too many":     {eight, rolling("i"), ago(-60), append(slices.Clone(eight), since("*", 0))},
		"two causes too many":    {append(slices.Clone(eight), since("*", 50)), rolling("j"), ago(-10), append(slices.Clone(eight), since("*", 50))},
		"one of the first again": {append(slices.Clone(eight), since("*", 50)), rolling("b"), ago(28), append(slices.Clone(eight), since("*", 50))},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, kept := date(tt.stored, "Ready", "c", tt.result, testNow)
			if !got.Deadline.Equal(tt.deadline) {
				t.Errorf("the deadline is %v, want %v", got.Deadline, tt.deadline)
			}
			if diff := cmp.Diff(tt.kept, kept); len(tt.kept)+len(kept) > 0 && diff != "" {
				t.Errorf("clocks (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWhatAdvancesIsNotStuck: a clock that runs out begins again if less is left than when it began.
func TestWhatAdvancesIsNotStuck(t *testing.T) {
	left := func(n int, p Progress) []Progress {
		p.Seen = n
		return []Progress{p}
	}
	for name, tt := range map[string]struct {
		stored            []Progress
		left              int
		deadline, recheck time.Time
		kept              []Progress
	}{
		"the first time":             {nil, 3, ago(-60), time.Time{}, left(3, since("a", 0))},
		"less, in time":              {left(3, since("a", 20)), 2, ago(-40), time.Time{}, left(3, since("a", 20))},
		"less, when it runs out":     {left(3, since("a", 60)), 2, ago(-60), time.Time{}, left(2, since("a", 0))},
		"less, long after":           {left(3, since("a", 600)), 1, ago(-60), time.Time{}, left(1, since("a", 0))},
		"as much":                    {left(3, since("a", 60)), 3, ago(0), ago(-60), left(3, since("a", 60))},
		"more":                       {left(3, since("a", 60)), 4, ago(0), ago(-60), left(3, since("a", 60))},
		"a clock that knows of none": {left(0, since("a", 60)), 1, ago(0), time.Time{}, left(0, since("a", 60))},
	} {
		t.Run(name, func(t *testing.T) {
			r := rolling("a")
			r.Left = tt.left
			got, kept := date(tt.stored, "Ready", "c", r, testNow)
			if !got.Deadline.Equal(tt.deadline) || !got.RecheckAt.Equal(tt.recheck) {
				t.Errorf("the deadline is %v, want %v; it looks again at %v, want %v", got.Deadline, tt.deadline, got.RecheckAt, tt.recheck)
			}
			if diff := cmp.Diff(tt.kept, kept); diff != "" {
				t.Errorf("clocks (-want +got):\n%s", diff)
			}
		})
	}
	eight := make([]Progress, maxCauses)
	for i := range eight {
		eight[i] = since(fmt.Sprint(i), 90)
	}
	r := rolling("another")
	r.Left = 3
	_, shared := date(eight, "Ready", "c", r, ago(60))
	r.Left = 1
	if _, kept := date(shared, "Ready", "c", r, testNow); !kept[maxCauses].Since.Equal(ago(60)) {
		t.Errorf("a cause made the clock that it shares with others begin again: %+v", kept[maxCauses])
	}
}

// TestAdvancesFromAKnownStart: a check that knows when a progress began has the time from there, and again if it advances. A new
// start is a new progress.
func TestAdvancesFromAKnownStart(t *testing.T) {
	left := func(n, seconds int) []Progress {
		p := since("a", seconds)
		p.Seen = n
		return []Progress{p}
	}
	for name, tt := range map[string]struct {
		stored      []Progress
		begun, left int
		deadline    time.Time
		kept        []Progress
	}{
		"seen late":                 {nil, 20, 3, ago(-40), left(3, 20)},
		"seen too late":             {nil, 600, 3, ago(540), left(3, 600)},
		"it does not advance":       {left(3, 60), 60, 3, ago(0), left(3, 60)},
		"it advances":               {left(3, 60), 60, 2, ago(-60), left(2, 0)},
		"it has advanced before":    {left(2, 10), 70, 2, ago(-50), left(2, 10)},
		"it begins anew":            {left(1, 600), 20, 3, ago(-40), left(3, 20)},
		"a clock that is ahead":     {nil, -30, 3, ago(-60), left(3, 0)},
		"it does not say what left": {nil, 20, 0, ago(-40), nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := rolling("a")
			r.Left, r.Deadline = tt.left, ago(tt.begun).Add(r.Within)
			got, kept := date(tt.stored, "Ready", "c", r, testNow)
			if !got.Deadline.Equal(tt.deadline) {
				t.Errorf("the deadline is %v, want %v", got.Deadline, tt.deadline)
			}
			if diff := cmp.Diff(tt.kept, kept); diff != "" && len(kept)+len(tt.kept) > 0 {
				t.Errorf("clocks (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDeadlineAlwaysEndsInFalse: a check never passes, and gives any other answers in between. Once it has had a cause for
// too long, that cause is always False.
func TestDeadlineAlwaysEndsInFalse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var clocks []Progress
		first := map[string]time.Time{}
		now := testNow
		for range rapid.IntRange(1, 60).Draw(t, "rounds") {
			now = now.Add(time.Duration(rapid.IntRange(0, 30).Draw(t, "seconds")) * time.Second)
			cause := rapid.SampledFrom(strings.Split("abcdefghijkl", "")).Draw(t, "cause")
			result := rapid.SampledFrom([]Result{rolling(cause), rolling(cause), {Status: False}, {Status: Unknown}, {Status: True}}).Draw(t, "answer")
			dated, kept := date(clocks, "Ready", "c", result, now)
			clocks = kept
			if len(clocks) > maxCauses+1 {
				t.Fatalf("%d clocks are kept", len(clocks))
			}
			if result.Status == True {
				first = map[string]time.Time{}
			}
			if result.Status != Progressing {
				continue
			}
			if _, ok := first[cause]; !ok && len(first) >= maxCauses {
				cause = "any other"
			}
			if _, ok := first[cause]; !ok {
				first[cause] = now.Truncate(time.Second)
			}
			if want := map[bool]Status{true: False, false: Progressing}[now.Sub(first[cause]) >= time.Minute]; dated.At(now).Status != want {
				t.Fatalf("%s after %s is %s, want %s", cause, now.Sub(first[cause]), dated.At(now).Status, want)
			}
		}
	})
}

// TestAnnotationOfProgress: what was written can be read, and anything else is ignored.
func TestAnnotationOfProgress(t *testing.T) {
	for _, value := range []string{"", "{", "[]", `{"a":1}`, `{"no separators":{"since":"2026-01-01T00:00:00Z"}}`, `{"Ready|c":{"since":"2026-01-01T00:00:00Z"}}`, `{"Ready|c|a":"2026-01-01T00:00:00Z"}`} {
		object := &corev1.Pod{}
		object.SetAnnotations(map[string]string{ProgressAnnotation + "w": value})
		if got := (AnnotationProgress[*corev1.Pod]{Name: "w"}).Load(object); len(got) != 0 {
			t.Errorf("%q was read as %v", value, got)
		}
	}
	object := &corev1.Pod{}
	object.SetAnnotations(map[string]string{ProgressAnnotation + "w": fmt.Sprintf(`{"Ready|c|a|b":{"since":%q}}`, ago(5).Format(time.RFC3339))})
	want := []Progress{since("a|b", 5)}
	if diff := cmp.Diff(want, (AnnotationProgress[*corev1.Pod]{Name: "w"}).Load(object)); diff != "" {
		t.Errorf("a cause with a separator (-want +got):\n%s", diff)
	}
}
