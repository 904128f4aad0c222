package cycle

import (
	"strings"
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// sibling returns another RebootRemediation of the same Machine.
func sibling(name string, phase v1alpha1.Phase, changes ...change) v1alpha1.RebootRemediation {
	f := in(phase, changes...)
	other := v1alpha1.RebootRemediation{Spec: f.Spec, Status: f.Status}
	other.Name, other.UID = name, "other"
	if phase != "" {
		other.Status.MachineUID = "m-1"
	}
	return other
}

// beside sets the other RebootRemediations of the Machine.
func beside(others ...v1alpha1.RebootRemediation) change {
	return func(f *Facts) { f.Siblings = others }
}

// TestOneAtATime: while one RebootRemediation cycles a machine, others wait for it, whoever asked and whatever the host says.
func TestOneAtATime(t *testing.T) {
	const pending = v1alpha1.Pending
	throttled := stores(pending, v1alpha1.ReasonThrottled)
	begins := stores(v1alpha1.PoweringOff, "PoweringOff")
	var rows []row
	for _, phase := range allPhases {
		want := throttled
		if phase == "" || phase == pending || phase.Ended() {
			want = begins
		}
		other := beside(sibling("m", phase))
		rows = append(rows, row{name: "beside " + string(phase), facts: in(pending, other), want: want})
	}
	working := beside(sibling("a", v1alpha1.Succeeded), sibling("b", v1alpha1.Holding))
	rows = append(rows,
		row{name: "of two", facts: in(pending, working), want: throttled},
		row{name: "there is no hurry", facts: settled(in(pending, working)), after: 24 * time.Hour, want: waits(pending, 0).saying(v1alpha1.ReasonThrottled)},
		row{name: "even if the host is not usable", facts: in(pending, working, missing), want: throttled},
		row{name: "and then the host has time", facts: in(pending, missing, wasThrottled), after: time.Hour, want: stores(pending, v1alpha1.ReasonHostUnavailable).lookingAgain(time.Hour + powerOffTimeout)},
		row{name: "it is taken back", facts: in(pending, working, deleting), want: stores(v1alpha1.Aborted, v1alpha1.ReasonWithdrawn)},
		row{name: "who is at work does not look", facts: in(v1alpha1.PoweringOff, working), want: stores(v1alpha1.PoweringOff, "PoweringOff").lookingAgain(powerOffTimeout + proofTime)},
	)
	check(t, rows)
}

func wasThrottled(f *Facts) { waitsFor(v1alpha1.ReasonThrottled)(f) }

// TestWaitsForWhom: a RebootRemediation that waits says for which one, and of which record.
func TestWaitsForWhom(t *testing.T) {
	d := Decide(in(v1alpha1.Pending, beside(sibling("other", v1alpha1.PoweringOff))), noon.Time)
	if got := messageOf(d.Status); !strings.Contains(got, "RebootRemediation other of MachineRemediation r") {
		t.Errorf("the message is %q", got)
	}
}
