package looks

import (
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

var (
	key  = client.ObjectKey{Namespace: "n", Name: "w"}
	noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
)

// begin begins a look after a while, and fails the test if it must wait.
func begin(t *testing.T, l *Log, after time.Duration) Look {
	t.Helper()
	look, wait := l.Begin(key, noon.Add(after), time.Second)
	if wait > 0 {
		t.Fatalf("after %s it must wait for %s", after, wait)
	}
	return look
}

func TestFloorHoldsBackALookAndLosesNoEvent(t *testing.T) {
	var l Log
	begin(t, &l, 0)
	l.Event(key)
	if _, wait := l.Begin(key, noon.Add(300*time.Millisecond), time.Second); wait != 700*time.Millisecond {
		t.Errorf("it waits for %s", wait)
	}
	if begin(t, &l, time.Second).Timer {
		t.Error("the event is forgotten")
	}
}

// TestClockThatIsSetBackHoldsBackNoLookForLong: the floor is the longest wait.
func TestClockThatIsSetBackHoldsBackNoLookForLong(t *testing.T) {
	var l Log
	begin(t, &l, time.Hour)
	if _, wait := l.Begin(key, noon, time.Second); wait != time.Second {
		t.Errorf("it waits for %s", wait)
	}
}

func TestTimersAreToldFromEvents(t *testing.T) {
	const after = 30 * time.Second
	for name, tt := range map[string]struct {
		before func(l *Log)
		timer  bool
	}{
		"what the look asked for":        {func(l *Log) { l.Delayed(key, l.Ask(key, after), noon) }, true},
		"an event":                       {func(l *Log) { l.Event(key) }, false},
		"an event beside what it asked":  {func(l *Log) { l.Delayed(key, l.Ask(key, after), noon); l.Event(key) }, false},
		"a delayed event":                {func(l *Log) { l.Ask(key, after); l.Delayed(key, after/2, noon) }, false},
		"a look that did not take place": {func(l *Log) { l.Event(key); look, _ := l.Begin(key, noon.Add(after/2), 0); l.Undo(key, look) }, false},
		"an event during an undone look": {func(l *Log) { look, _ := l.Begin(key, noon.Add(after/2), 0); l.Event(key); l.Undo(key, look) }, false},
		"a delay during an undone look": {func(l *Log) {
			look, _ := l.Begin(key, noon.Add(after/2), 0)
			l.Delayed(key, 1, noon.Add(after))
			l.Undo(key, look)
		}, false},
		"an event that a look has answered": {func(l *Log) { l.Event(key); l.Begin(key, noon.Add(after/2), 0) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			var l Log
			if begin(t, &l, 0).Timer {
				t.Error("the first look is one on a timer")
			}
			tt.before(&l)
			if got := begin(t, &l, after).Timer; got != tt.timer {
				t.Errorf("on a timer: %t", got)
			}
		})
	}
}

// TestDelayedEventCountsUntilItsTimeHasCome: looks before it do not use it up.
func TestDelayedEventCountsUntilItsTimeHasCome(t *testing.T) {
	var l Log
	begin(t, &l, 0)
	l.Delayed(key, 10*time.Second, noon)
	for _, tt := range []struct {
		after time.Duration
		timer bool
	}{{5 * time.Second, false}, {11 * time.Second, false}, {20 * time.Second, true}} {
		if got := begin(t, &l, tt.after).Timer; got != tt.timer {
			t.Errorf("after %s it is one on a timer: %t", tt.after, got)
		}
	}
}
