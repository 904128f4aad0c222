package ladder

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestUnreadableRequest: Sickbay may no longer read what it asked for. After its time and an hour, the slot goes to others and a person is asked.
// If the machine is healthy or gone, or somebody cancels, deletes or skips it, each alone ends that within an hour.
func TestUnreadableRequest(t *testing.T) {
	begun := with(plan(request(), replace(), holdStep()), works("request", time.Minute), unreadable)
	waits := with(plan(reboot(), replace(), holdStep()), asks("reboot", time.Minute), bounded, unreadable)
	ends, held := "", v1alpha1.ReasonUnreadable
	for name, tt := range map[string]struct {
		facts Facts
		after time.Duration
		want  string
	}{
		"a request":                     {begun, 25 * time.Hour, held},
		"a request, healthy":            {with(begun, is(Healthy)), time.Hour, ends},
		"a request, cancel":             {with(begun, decides(v1alpha1.AnswerCancel, "")), time.Hour, held},
		"a request, delete":             {with(begun, recordIsDeleted), time.Hour, ends},
		"a request, skip":               {with(begun, unmanaged), time.Hour, ends},
		"a request, gone":               {with(begun, func(f *Facts) { goneNow(f); f.Request = nil }), 0, ends},
		"a power cycle":                 {waits, 2 * time.Hour, held},
		"a power cycle, healthy":        {with(waits, is(Healthy)), time.Hour, ends},
		"a power cycle, cancel":         {with(waits, decides(v1alpha1.AnswerCancel, "")), time.Hour, held},
		"a power cycle, delete":         {with(waits, recordIsDeleted), time.Hour, ends},
		"a power cycle, skip":           {with(waits, unmanaged), time.Hour, ends},
		"given up, then healthy":        {with(begun, over(v1alpha1.ResultTimedOut, "replace"), made("Fix"), unreadable, endedBefore(2*time.Hour), stoppedBy(byUnreadable, 2*time.Hour), is(Healthy)), 5 * time.Minute, ends},
		"withdrawn by hand, and cancel": {with(begun, over(v1alpha1.ResultTimedOut, "replace"), made("Fix"), unreadable, endedBefore(59*time.Minute), stoppedBy(byUnreadable, 59*time.Minute), decides(v1alpha1.AnswerCancel, "")), 2 * time.Minute, held},
	} {
		t.Run(name, func(t *testing.T) {
			w := &story{f: tt.facts, now: noon}
			w.until(tt.after)
			c := Progress(&w.f.Record.Status)
			if HasSlot(w.f.Record) || w.has(MarkForOwner) || Ended(w.f.Record) != (tt.want == ends) || (tt.want == held && c.Reason != held) {
				t.Errorf("it does %v, and is %s: %s", w.acts, c.Reason, c.Message)
			}
			if tt.after > 5*time.Minute && !w.has(WithdrawRequest) {
				t.Error("nobody has tried to delete it")
			}
		})
	}
}

// TestUnreadableThroughAPause: a pause, or a machine that is healthy for a moment, does not make the record forget that nobody saw the request
// gone. One answer of the API server that says nothing is no reason to give up, however long the attempt is over.
func TestUnreadableThroughAPause(t *testing.T) {
	given := &story{f: with(plan(request(), replace()), works("request", 24*time.Hour), unreadable), now: noon}
	given.until(2 * time.Hour)
	for name, meanwhile := range map[string]change{"a pause": paused, "healthy": is(Healthy)} {
		w := &story{f: with(given.f, meanwhile), now: given.now}
		w.until(w.now.Sub(noon) + time.Minute)
		w.f.Safety.Paused, w.f.Machine.Health = Cause{}, Sick
		w.until(w.now.Sub(noon) + time.Hour)
		if c := Progress(&w.f.Record.Status); c.Reason != v1alpha1.ReasonUnreadable || !MayStand(w.f.Record) || w.has(MarkForOwner) {
			t.Errorf("%s: it does %v, and is %s: %s", name, w.acts, c.Reason, c.Message)
		}
	}
	once := with(plan(request(), replace()), works("request", 24*time.Hour), over(v1alpha1.ResultTimedOut, "replace"), endedBefore(2*time.Hour), made("Fix"), unreadable, withdrawing)
	if f, _ := decideAll(once, noon); Progress(&f.Record.Status).Reason != v1alpha1.ReasonWithdrawing || !HasSlot(f.Record) {
		t.Errorf("after one answer, it is %s", Progress(&f.Record.Status).Reason)
	}
}

// TestReadableAgain: the request can be read again after Sickbay has given up, and goes. The record goes on by itself.
func TestReadableAgain(t *testing.T) {
	w := &story{f: with(plan(request(), replace(), holdStep()), works("request", 24*time.Hour), unreadable), now: noon}
	w.until(2 * time.Hour)
	w.f.Request = nil
	w.until(3 * time.Hour)
	if !w.has(MarkForOwner) {
		t.Errorf("it is %s: %s", w.f.Record.Status.Phase, Progress(&w.f.Record.Status).Message)
	}
}
