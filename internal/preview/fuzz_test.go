package preview

import (
	"testing"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// FuzzHold: commands read a hold as the controllers do, whatever its annotations say. A longer hold can replace it and is then read as a hold,
// and a release removes all of it.
func FuzzHold(f *testing.F) {
	for _, until := range []string{
		"", "2026-11-23T08:00:00Z", "2026-11-23T8:00:00Z", "2026-11-22T23:59:59.999999999Z", "9999-12-31T23:59:59-23:59", "0000-01-01T00:00:00+23:59", "2026-02-29T00:00:00Z",
		"tomorrow", " 2026-11-23T08:00:00Z", "2026-11-23t08:00:00z", "\x00", "\xff\n",
	} {
		f.Add(until, "switch\nis \x1b[31mchanged (by ann)")
		f.Add(until, "by ann")
	}
	now := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, until, reason string) {
		object := build.Machine("ns", "m")
		object.Annotations = map[string]string{mhcspec.HoldUntilAnnotation: until, mhcspec.HoldReasonAnnotation: reason}
		there, ok := holdOn(object)
		if why, _ := mhcspec.OnHold(now, object); !ok || there.active(now) != (why != "") {
			t.Errorf("until %q it is on hold for commands: %t, %t; for controllers: %q", until, ok, there.active(now), why)
		}
		target := Target{Name: "machine/m", Object: object}
		longer := Hold{Until: now.Add(time.Hour), By: "bob"}
		if there.until.After(longer.Until) && there.until.Year() < 9999 {
			longer.Until = there.until.Add(time.Second)
		}
		p := ProposeHold(target, longer, now)
		if p.Already == "" {
			if why, end := mhcspec.OnHold(now, written(object, p)); why == "" || end.IsZero() {
				t.Errorf("beside %q the hold until %s is none: %q until %s", until, longer.Until, why, end)
			}
		}
		if left := written(object, ProposeRelease(target, now)).Annotations; len(left) > 0 {
			t.Errorf("after the release there is %q", left)
		}
	})
}

// written returns the object with the annotations of a proposal.
func written(object *clusterv1.Machine, p HoldProposal) *clusterv1.Machine {
	object = object.DeepCopy()
	for name, value := range p.Annotations {
		delete(object.Annotations, name)
		if value != nil {
			object.Annotations[name] = *value
		}
	}
	return object
}
