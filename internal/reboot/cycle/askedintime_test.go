package cycle

import (
	"testing"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// asksBeside makes a person ask by annotation for what a health check has asked for already.
func asksBeside(f *Facts) { f.Machine.Asked = true }

func askedInTime(f *Facts) { f.Status.AskedInTime = true }

// TestAskedInTime: a person's annotation that is there when the host is released is for this cycle, and is removed when the cycle has
// succeeded. One that is set later, or set again, is for another cycle.
func TestAskedInTime(t *testing.T) {
	const isolating, waiting = v1alpha1.Isolating, v1alpha1.WaitingForNode
	unread := func(f *Facts) { f.MachineUnreadable, f.Machine.Asked = "it cannot be read", false }
	for name, tt := range map[string]struct {
		facts Facts
		want  bool
	}{
		"in time":                        {in(isolating, asksBeside, nodeGone), true},
		"nobody asks":                    {in(isolating, nodeGone), false},
		"too late":                       {in(waiting, asksBeside), false},
		"it stays":                       {in(waiting, asksBeside, askedInTime), true},
		"it goes":                        {in(waiting, askedInTime), false},
		"whether it goes nobody knows":   {in(waiting, askedInTime, unread), true},
		"the host may not have been off": {in(v1alpha1.PoweringOff, asksBeside, deleting, outOfServiceSince), false},
		"the next attempt is on":         {in(v1alpha1.CoolingDown, asksBeside, askedInTime, nodeGone), true},
	} {
		if d := Decide(tt.facts, noon.Add(moment)); d.Status.AskedInTime != tt.want {
			t.Errorf("%s: %t, %s", name, d.Status.AskedInTime, d)
		}
	}
	const done, failed = v1alpha1.Succeeded, v1alpha1.Failed
	check(t, []row{
		{name: "it has helped", facts: in(done, asksBeside, askedInTime), want: does(done, DropAll)},
		{name: "the host comes first", facts: in(done, asksBeside, askedInTime, keyed), want: does(done, RemoveKey)},
		{name: "the annotation is gone", facts: in(done, askedInTime), want: does(done, RemoveFinalizer)},
		{name: "it came too late", facts: in(done, asksBeside), want: does(done, RemoveFinalizer)},
		{name: "it was in vain", facts: in(failed, asksBeside, askedInTime, notOwned, markedUnhealthy), want: does(failed, RemoveFinalizer)},
	})
}
