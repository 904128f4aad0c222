package controllerstate

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestFailures(t *testing.T) {
	all := func(string) bool { return true }
	var f Memory[int]
	if f.Succeed(owner, "x") || len(f.Failures(owner, all)) > 0 {
		t.Error("nothing has failed")
	}
	now := start
	var pauses []time.Duration
	for i := range 9 {
		if news := f.Fail(owner, "x", "no", now); news != (i == 0) {
			t.Errorf("the same text is news for time %d: %v", i, news)
		}
		pauses = append(pauses, f.Failures(owner, all)["x"].RetryAt.Sub(now))
		now = now.Add(time.Hour)
	}
	s := time.Second
	if diff := cmp.Diff([]time.Duration{5 * s, 10 * s, 20 * s, 40 * s, 80 * s, 160 * s, 300 * s, 300 * s, 300 * s}, pauses); diff != "" {
		t.Errorf("pauses (-want +got):\n%s", diff)
	}
	if !f.Fail(owner, "x", "another", now) {
		t.Error("another text is no news")
	}
	f.Fail(owner, "y", "no", now)
	if got := f.Failures(owner, func(uid string) bool { return uid == "y" }); len(got) != 1 || got["y"].Count != 1 {
		t.Errorf("failures are %v, want that of y", got)
	}
	if got := f.Failures(owner, all); len(got) != 1 {
		t.Errorf("failures are %v, want only those that were of interest", got)
	}
	if !f.Succeed(owner, "y") {
		t.Error("that it succeeds is no news")
	}
	if got := f.Failures(owner, all); len(got) > 0 {
		t.Errorf("failures are %v", got)
	}
	for range 100 {
		f.Fail(owner, "z", "no", now)
	}
	if got := f.Failures(owner, all)["z"].RetryAt.Sub(now); got != 5*time.Minute {
		t.Errorf("after 100 failures it is tried again in %s", got)
	}
}
