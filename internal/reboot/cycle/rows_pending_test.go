package cycle

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

const (
	powerOffTimeout = v1alpha1.DefaultPowerOffTimeout
	powerOnTimeout  = v1alpha1.DefaultPowerOnTimeout
	nodeTimeout     = v1alpha1.DefaultNodeTimeout
	moment          = time.Second
)

func missing(f *Facts)  { f.Host = HostFacts{Missing: "The machine has no host"} }
func ofOthers(f *Facts) { f.Host.Ours = false }
func noFinalizer(f *Facts) {
	f.Finalizer = false
}
func hostDeleting(f *Facts) { f.Host.Deleting = true }
func notFenceable(f *Facts) { f.Host.Fenceable = false }
func throttled(f *Facts)    { f.Throttled = "Waits for m-2" }
func notStored(f *Facts) {
	f.NotStored = "Waiting until a MachineRemediation has stored this RebootRemediation"
}

// TestPending has the rows for the phase Pending.
func TestPending(t *testing.T) {
	const pending, failed, unavailable = v1alpha1.Pending, v1alpha1.Failed, v1alpha1.ReasonHostUnavailable
	check(t, []row{
		{name: "at first: the finalizer comes first", facts: in("", noFinalizer), want: outcome{do: AddFinalizer}},
		{name: "at first: and not on the way out", facts: in("", noFinalizer, deleting), want: outcome{}},
		{name: "at first: then the record", facts: in(""), want: stores(pending, "Pending")},
		{name: "at first: of a machine that is not there", facts: in("", machineGone), want: stores(v1alpha1.Aborted, v1alpha1.ReasonMachineGone)},
		{name: "at first: of another machine of the same name", facts: in(pending, func(f *Facts) { f.Machine.UID = "m-2" }), want: stores(v1alpha1.Aborted, v1alpha1.ReasonMachineGone)},

		// A host may be found later, so the controller waits. It is useless to wait for one that somebody else uses, or
		// that is being deleted.
		{name: "nobody can tell whether there is a host", facts: in(pending, func(f *Facts) { f.Host = HostFacts{Unread: "Sickbay may not look for the host"} }), host: v1alpha1.ReasonHostNotFound, want: stores(pending, unavailable).lookingAgain(time.Minute)},
		{name: "the host is not to be had: no host", facts: in(pending, missing), host: v1alpha1.ReasonHostNotFound, want: stores(pending, unavailable).lookingAgain(powerOffTimeout)},
		{name: "the host is not to be had: no host, to the last", facts: settled(in(pending, missing)), after: powerOffTimeout - moment, want: waits(pending, powerOffTimeout).saying(unavailable)},
		{name: "the host is not to be had: no host in time", facts: settled(in(pending, missing)), after: powerOffTimeout, want: stores(failed, unavailable)},
		{name: "the host is not to be had: host of somebody else", facts: in(pending, ofOthers), host: v1alpha1.ReasonHostNotOurs, want: stores(failed, unavailable)},
		{name: "the host is not to be had: host on its way out", facts: in(pending, hostDeleting), host: v1alpha1.ReasonHostDeleting, want: stores(failed, unavailable)},

		{name: "the host is not at rest: paused", facts: in(pending, obstacleIs(v1alpha1.ReasonHostPaused)), host: v1alpha1.ReasonHostPaused, want: stores(pending, unavailable)},
		{name: "the host is not at rest: for as long as it is", facts: settled(in(pending, obstacleIs(v1alpha1.ReasonHostPaused))), after: 24 * time.Hour, want: waits(pending, 0).saying(unavailable)},
		{name: "the host is not at rest: and then it begins", facts: in(pending, suspended, waitsFor(unavailable)), after: 24 * time.Hour, want: stores(v1alpha1.PoweringOff, "PoweringOff")},
		{name: "the host is not at rest: detached", facts: in(pending, obstacleIs(v1alpha1.ReasonHostDetached)), host: v1alpha1.ReasonHostDetached, want: stores(pending, unavailable)},
		{name: "the host is not at rest: not provisioned", facts: in(pending, obstacleIs(v1alpha1.ReasonHostNotProvisioned)), host: v1alpha1.ReasonHostNotProvisioned, want: stores(pending, unavailable).lookingAgain(powerOffTimeout)},
		{name: "the host is not at rest: servicing", facts: in(pending, obstacleIs(v1alpha1.ReasonHostServicing)), host: v1alpha1.ReasonHostServicing, want: stores(pending, unavailable)},
		// The error does not say what the host will do: it may be an old one that stays forever.
		{name: "the host is not at rest: but a power error is tried", facts: in(pending, obstacleIs(v1alpha1.ReasonPowerManagementError)), want: stores(v1alpha1.PoweringOff, "PoweringOff")},
		{name: "the host is not at rest: an hour in the queue does not count", facts: in(pending, missing, waitsFor(v1alpha1.ReasonThrottled)), after: time.Hour, want: stores(pending, unavailable).lookingAgain(time.Hour + powerOffTimeout)},

		{name: "its user has switched it off: wanted off by its user", facts: in(pending, userOff, hostSays(v1alpha1.ReasonHostPaused)), host: v1alpha1.ReasonSuspendedByUser, want: stores(pending, v1alpha1.ReasonSuspendedByUser)},
		{name: "its user has switched it off: for as long as he likes", facts: settled(in(pending, userOff)), after: 24 * time.Hour, want: waits(pending, 0).saying(v1alpha1.ReasonSuspendedByUser)},
		{name: "its user has switched it off: wanted on again", facts: in(pending, suspended, waitsFor(v1alpha1.ReasonSuspendedByUser)), after: time.Hour, want: stores(v1alpha1.PoweringOff, "PoweringOff")},
		{name: "its user has switched it off: the request is deleted", facts: in(pending, userOff, deleting), want: stores(v1alpha1.Aborted, v1alpha1.ReasonWithdrawn)},

		// Such a host is never rebooted without proof.
		{name: "it may not be switched off: cannot be switched off", facts: in(pending, notFenceable), host: v1alpha1.ReasonNotFenceable, want: stores(failed, unavailable)},

		{name: "others come first", facts: in(pending, throttled, hostSays(v1alpha1.ReasonHostPaused)), host: v1alpha1.ReasonHostAvailable, want: stores(pending, v1alpha1.ReasonThrottled)},
		{name: "others come first: for as long as it takes", facts: settled(in(pending, throttled)), after: 24 * time.Hour, want: waits(pending, 0).saying(v1alpha1.ReasonThrottled)},

		{name: "others come first: its record has not stored it", facts: in(pending, notStored), want: stores(pending, v1alpha1.ReasonNotStored).lookingAgain(lookForRecord)},
		{name: "others come first: for as long as it has not", facts: settled(in(pending, notStored)), after: time.Hour, want: waits(pending, time.Hour+lookForRecord).saying(v1alpha1.ReasonNotStored)},
		{name: "others come first: then it begins", facts: in(pending, waitsFor(v1alpha1.ReasonNotStored)), after: time.Hour, want: stores(v1alpha1.PoweringOff, "PoweringOff")},
		{name: "others come first: it is taken back before", facts: in(pending, notStored, deleting), want: stores(v1alpha1.Aborted, v1alpha1.ReasonWithdrawn)},

		{name: "no Node to be seen: all is fine", facts: in(pending), want: stores(v1alpha1.PoweringOff, "PoweringOff")},
		{name: "no Node to be seen: the machine never joined", facts: in(pending, nodeNone), want: stores(v1alpha1.PoweringOff, "PoweringOff")},
		{name: "no Node to be seen: the workload cluster is dead", facts: in(pending, nodeUnreadable), want: stores(v1alpha1.PoweringOff, "PoweringOff")},
		{name: "no Node to be seen: kept off by others", facts: in(pending, others, off), want: stores(pending, v1alpha1.ReasonHeldByOthers), host: v1alpha1.ReasonHeldByOthers},
	})
}

// TestNeedsRecord: only until the cycle begins. What has begun goes on, whatever happens to the record.
func TestNeedsRecord(t *testing.T) {
	for name, tt := range map[string]struct {
		facts Facts
		want  bool
	}{
		"it is to begin":     {in(v1alpha1.Pending), true},
		"it is taken back":   {in(v1alpha1.Pending, deleting), false},
		"it is not ours yet": {in(v1alpha1.Pending, noFinalizer), false},
		"it has begun":       {in(v1alpha1.PoweringOff), false},
		"it is over":         {in(v1alpha1.Failed), false},
	} {
		if got := NeedsRecord(&tt.facts); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestBegin checks what a cycle records before it does anything.
func TestBegin(t *testing.T) {
	later := noon.Add(time.Minute)
	d := Decide(in(v1alpha1.Pending), later)
	s := d.Status
	if s.Host == nil || *s.Host != (v1alpha1.HostIdentity{Name: "h1", UID: "h-1"}) {
		t.Errorf("it is of host %+v", s.Host)
	}
	if s.Node == nil || s.Node.Name != "n1" || s.Node.UID != "node-1" || s.Node.BootID != "boot-1" {
		t.Errorf("the Node is recorded as %+v", s.Node)
	}
	if !s.PendingRebootSince.Time.Equal(later) {
		t.Errorf("pending since %s", s.PendingRebootSince)
	}

	if s = Decide(in(v1alpha1.Pending, nodeUnreadable), later).Status; s.Node == nil || s.Node.Name != "n1" || s.Node.UID != "" {
		t.Errorf("a Node that cannot be read is recorded as %+v", s.Node)
	}
	if s = Decide(in(v1alpha1.Pending, nodeNone), later).Status; s.Node != nil {
		t.Errorf("no Node is recorded as %+v", s.Node)
	}
}

// TestWaitsAgain: a cycle that may not begin after all records nothing of the host and its Node, and begins later like any other.
func TestWaitsAgain(t *testing.T) {
	for name, change := range map[string]change{"others come first": throttled, "a person keeps it off": userOff, "a program does": others, "it is paused": obstacleIs(v1alpha1.ReasonHostPaused)} {
		f := in(v1alpha1.PoweringOff, unbegun, change)
		s := Decide(f, noon.Time).Status
		if s.Phase != v1alpha1.Pending || s.Host != nil || s.Node != nil || s.PendingRebootSince != nil || s.BeganAt != nil {
			t.Errorf("%s: in phase %s is recorded %+v", name, s.Phase, s)
		}
		f.Status, f.Throttled, f.Host = s, "", in(v1alpha1.Pending).Host
		if d := Decide(f, noon.Add(time.Hour)); d.Status.Phase != v1alpha1.PoweringOff {
			t.Errorf("%s: then: %s", name, d)
		}
	}
}

// TestTimeOfAnUnavailableHost: its clock stops while the host is available and the cycle waits for others.
func TestTimeOfAnUnavailableHost(t *testing.T) {
	since := func(f *Facts) { f.Status.UnavailableSince = &noon }
	if s := Decide(in(v1alpha1.Pending, throttled, since), noon.Add(time.Minute)).Status; s.UnavailableSince != nil {
		t.Errorf("it is unavailable since %s", s.UnavailableSince)
	}
}
