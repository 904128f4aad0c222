package cycle

import (
	"strings"
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestPoweringOff has the rows for the proof that the host is off.
func TestPoweringOff(t *testing.T) {
	const phase = v1alpha1.PoweringOff
	stored := stores(phase, "PoweringOff").lookingAgain(powerOffTimeout)
	waiting := waits(phase, powerOffTimeout)
	asks := does(phase, SetKey).lookingAgain(powerOffTimeout)
	// A host that was off already gets extra time for the proof.
	storedUnseen, waitingUnseen, asksUnseen := stored.lookingAgain(powerOffTimeout+proofTime), waits(phase, powerOffTimeout+proofTime), asks.lookingAgain(powerOffTimeout+proofTime)
	fenced := stores(v1alpha1.Fenced, "Fenced")
	paused := obstacleIs(v1alpha1.ReasonHostPaused)
	check(t, []row{
		{name: "asking for off: that the host is on is stored first", facts: in(phase), want: storedUnseen},
		{name: "asking for off: then the key is set", facts: in(phase, seenOn), want: asks},
		{name: "asking for off: others are cycled meanwhile", facts: in(phase, seenOn, throttled), want: stores(v1alpha1.Aborted, v1alpha1.ReasonHostUnavailable).lookingAgain(powerOffTimeout)},
		{name: "asking for off: others are cycled meanwhile, and it has reached the host", facts: in(phase, seenOn, keyed, throttled), want: stored},
		{name: "asking for off: of a host that is off at once", facts: in(phase, off), want: asksUnseen},
		{name: "asking for off: of one that went off by itself, after it is stored", facts: in(phase, seenOn, off), want: stored},
		{name: "asking for off: that the key is there is stored", facts: in(phase, seenOn, keyed), want: stored},
		{name: "the key is lost", facts: in(phase, seenOn, keySeen, unkeyed, off), want: storedUnseen},
		{name: "the key is lost: and set again", facts: settled(in(phase, keySeen, unkeyed, off)), want: asksUnseen},
		{name: "still on: the host is still on", facts: in(phase, seenOn, keyed, keySeen, probed), want: waiting},
		{name: "still on: it is on though it was not", facts: in(phase, keyed, keySeen), want: storedUnseen},

		// The key is set all the same: perhaps only the next command clears the error.
		{name: "its state is not believed: the key is set all the same", facts: settled(in(phase, paused, off)), want: asksUnseen, host: v1alpha1.ReasonHostPaused},
		{name: "its state is not believed: off is not believed", facts: in(phase, paused, off, keyed, keySeen, seenOn), want: storedUnseen, host: v1alpha1.ReasonHostPaused},
		{name: "host off, and the controller waits", facts: settled(in(phase, paused, off, keyed)), want: waitingUnseen},
		{name: "its state is not believed: detached", facts: settled(in(phase, obstacleIs(v1alpha1.ReasonHostDetached), off, keyed)), want: waitingUnseen, host: v1alpha1.ReasonHostDetached},
		{name: "its state is not believed: servicing", facts: settled(in(phase, obstacleIs(v1alpha1.ReasonHostServicing), off, keyed)), want: waitingUnseen, host: v1alpha1.ReasonHostServicing},
		{name: "its state is not believed: power error", facts: settled(in(phase, obstacleIs(v1alpha1.ReasonPowerManagementError), off, keyed)), want: waitingUnseen, host: v1alpha1.ReasonPowerManagementError},
		{name: "its state is not believed: an error while it is on takes nothing back", facts: settled(in(phase, obstacleIs(v1alpha1.ReasonPowerManagementError), keyed, keySeen, seenOn)), want: waiting},
		{name: "its state is not believed: the error is gone, and the host off", facts: in(phase, keyed, keySeen, seenOn, off), want: fenced},
		{name: "its state is not believed: disablePowerOff meanwhile", facts: in(phase, keyed, keySeen, seenOn, off, notFenceable), want: stores(v1alpha1.Failed, v1alpha1.ReasonHostUnavailable), host: v1alpha1.ReasonNotFenceable},

		{name: "proof of off: seen on with the key, off since", facts: in(phase, keyed, keySeen, seenOn, off), want: fenced},
		{name: "proof of off: the operator has not answered", facts: in(phase, keyed, keySeen, seenOn, off, probed), want: waiting},
		{name: "proof of off: not yet known since when the key is there", facts: in(phase, keyed, seenOn, off), want: stored},
		{name: "proof of off: was off already: it has to settle", facts: in(phase, keyed, keySeen, off), want: waits(phase, settleTime)},
		{name: "proof of off: to the last", facts: in(phase, keyed, keySeen, off), after: settleTime - moment, want: waits(phase, settleTime)},
		// Its operator may have answered while the host was on its way up, and been silent since.
		{name: "proof of off: and is asked again", facts: in(phase, keyed, keySeen, off), after: settleTime, want: asksUnseen},
		{name: "proof of off: no answer", facts: in(phase, keyed, keySeen, off, probedAt(settleTime), probed), after: settleTime, want: waitingUnseen},
		{name: "proof of off: answered", facts: in(phase, keyed, keySeen, off, probedAt(settleTime)), after: settleTime, want: fenced},
		{name: "proof of off: asked too early", facts: in(phase, keyed, keySeen, off, probedAt(settleTime-moment)), after: settleTime, want: asksUnseen},
		{name: "proof of off: somebody else's question is open", facts: in(phase, keyed, keySeen, off, probedAt(settleTime), otherProbe), after: settleTime, want: waitingUnseen},
		{name: "proof of off: which does not matter if it was seen on", facts: in(phase, keyed, keySeen, seenOn, off, otherProbe), want: fenced},
		{name: "proof of off: proven in the last moment", facts: in(phase, keyed, keySeen, seenOn, off), after: powerOffTimeout, want: fenced},

		{name: "too long: to the last", facts: in(phase, keyed, keySeen, seenOn), after: powerOffTimeout - moment, want: waiting},
		{name: "too long: too late", facts: in(phase, keyed, keySeen, seenOn), after: powerOffTimeout, want: stores(v1alpha1.Failed, v1alpha1.ReasonPowerOffTimedOut)},
		{name: "too long: was off already: its proof takes longer", facts: in(phase, keyed, keySeen, off, quick), after: settleTime, want: asks.lookingAgain(moment + proofTime)},
		{name: "too long: and ends in time", facts: in(phase, keyed, keySeen, off, quick, probedAt(settleTime)), after: settleTime + moment, want: fenced},
		{name: "too long: or not", facts: in(phase, keyed, keySeen, off, quick, probedAt(settleTime), probed), after: moment + proofTime, want: stores(v1alpha1.Failed, v1alpha1.ReasonPowerOffTimedOut)},
		{name: "too long: in a state that passes it does not count", facts: in(phase, keyed, paused), after: powerOffTimeout + proofTime, want: stores(v1alpha1.Aborted, v1alpha1.ReasonHostUnavailable)},
		{name: "nobody wants it any more, and its Node is gone", facts: in(phase, keyed, paused, outOfServiceSince, deleting), after: powerOffTimeout + proofTime, want: stores(v1alpha1.PoweringOn, "PoweringOn")},
	})
}

// quick sets a very short timeout for the host to go off.
func quick(f *Facts) { f.Spec.PowerOffTimeoutSeconds = new(int32(moment / time.Second)) }

func otherProbe(f *Facts)        { f.Host.OtherProbe = true }
func outOfServiceSince(f *Facts) { f.Status.Node.OutOfService = true }

// TestDoubtBeginsAnew: if a host says that it is off while it cannot be believed, that is no part of a proof.
func TestDoubtBeginsAnew(t *testing.T) {
	for name, f := range map[string]Facts{
		"PoweringOff, lost":   in(v1alpha1.PoweringOff, keySeen, seenOn, off),
		"PoweringOff, paused": in(v1alpha1.PoweringOff, keyed, keySeen, seenOn, off, obstacleIs(v1alpha1.ReasonHostPaused)),
		"Holding, paused":     in(v1alpha1.Holding, asking(), obstacleIs(v1alpha1.ReasonHostPaused)),
		"Holding, key lost":   in(v1alpha1.Holding, asking(), unkeyed),
		"Fenced, on again":    in(v1alpha1.Fenced, on),
		"Isolating, on again": in(v1alpha1.Isolating, on),
		"Isolating, paused":   in(v1alpha1.Isolating, obstacleIs(v1alpha1.ReasonHostPaused)),
	} {
		if s := Decide(f, noon.Time).Status; s.KeySince != nil || s.SeenOnAt != nil {
			t.Errorf("%s: key since %v, seen on %v", name, s.KeySince, s.SeenOnAt)
		}
	}
	s := Decide(in(v1alpha1.Isolating, on), noon.Time).Status
	if s.PoweredOffAt != nil || s.IsolatingSince != nil {
		t.Errorf("after going back: off since %v, isolating since %v", s.PoweredOffAt, s.IsolatingSince)
	}
	s = Decide(in(v1alpha1.PoweringOff, keyed, keySeen, seenOn, obstacleIs(v1alpha1.ReasonPowerManagementError)), noon.Time).Status
	if s.KeySince == nil || s.SeenOnAt == nil {
		t.Error("an error of a host that is on takes the proof back")
	}
}

// TestSetKeySaysWhen: the key says when it was set, because the proof depends on that.
func TestSetKeySaysWhen(t *testing.T) {
	d := Decide(in(v1alpha1.PoweringOff, keyed, keySeen, off, keySeenFor(2*time.Minute)), noon.Add(2*time.Minute+time.Millisecond))
	if d.Action != SetKey || !d.ProbedAt.Equal(noon.Add(2*time.Minute)) {
		t.Errorf("%s at %s", d.Action, d.ProbedAt)
	}
}

func neverOff(f *Facts)  { f.Status.PoweredOffAt, f.Status.LastPoweredOn = nil, nil }
func untouched(f *Facts) { f.Status.Node.OutOfService, f.Status.Node.Backup = false, nil }

// TestUnprovenSaysWhy: a host that has an old error and says that it is off is not believed, and the message says
// so.
func TestUnprovenSaysWhy(t *testing.T) {
	const disbelief = "it says that it is off, but cannot be believed"
	error := obstacleIs(v1alpha1.ReasonPowerManagementError)
	for name, tt := range map[string]struct {
		facts     Facts
		disbelief bool
		cause     string
	}{
		"off, with an error": {in(v1alpha1.PoweringOff, keyed, off, error), true, v1alpha1.ReasonPowerManagementError},
		"off, but paused":    {in(v1alpha1.PoweringOff, keyed, off, obstacleIs(v1alpha1.ReasonHostPaused)), true, v1alpha1.ReasonHostPaused},
		"on, with an error":  {in(v1alpha1.PoweringOff, keyed, error), false, v1alpha1.ReasonPowerManagementError},
		"on":                 {in(v1alpha1.PoweringOff, keyed), false, ""},
	} {
		got := messageOf(Decide(tt.facts, noon.Add(powerOffTimeout+proofTime)).Status)
		if strings.Contains(got, disbelief) != tt.disbelief || !strings.Contains(got, tt.cause) || !strings.HasPrefix(got, "The host could not be proven off") {
			t.Errorf("%s: the message is %q", name, got)
		}
	}
}
