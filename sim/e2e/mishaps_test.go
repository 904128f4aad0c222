package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/repair/machinehealthcheck"
	"github.com/sickbay-dev/sickbay/internal/repair/remediation"
	"github.com/sickbay-dev/sickbay/internal/upgradepause"
	"github.com/sickbay-dev/sickbay/sim/fault"
)

// The kinds of writes in all cases.
const (
	writesVerdict    = "apply status by " + machinehealth.FieldOwner + " " + theSick
	withdrawsVerdict = "patch status by " + machinehealth.FieldOwner + " " + bystander
	adoptsCheck      = "apply by " + machinehealthcheck.FieldOwner + "-metadata " + healthChecks
	countsMachines   = "apply status by " + machinehealthcheck.FieldOwner + " " + healthChecks
	createsRecord    = "create the record of " + theSick
	admitsRecord     = "patch by " + machinehealthcheck.FieldOwner + " the record of " + theSick
	storesAttempt    = "update status by " + remediation.FieldOwner + " the record of " + theSick
	closesRecord     = "patch by " + remediation.FieldOwner + " the record of " + theSick
	marksMachine     = "patch status by " + remediation.FieldOwner + " " + theSick
	annotatesMachine = "patch by " + remediation.FieldOwner + " " + theSick
	deletesMachine   = "delete " + theSick
	makesRequest     = "create fixremediations"
	endsRequest      = "delete fixremediations"
	makesCycle       = "create rebootremediations"
	pausesCheck      = "patch by " + upgradepause.FieldOwner + " " + healthChecks
)

// TestMishaps ends the manager at each kind of write of a repair, and expects the same end. The explorer tries everything else that can go
// wrong with a write, and each write.
func TestMishaps(t *testing.T) {
	t.Parallel()
	for _, c := range remedyCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.setUp(t)
			everyMoment(t, c)
		})
	}
}

func everyMoment(t *testing.T, c remedyCase) {
	t.Helper()
	rehearsal := &fault.Wire{}
	if !t.Run("no mishap", func(t *testing.T) { newRound(t, c).play(rehearsal) }) {
		return
	}
	noneForgotten(t, rehearsal.Moments())
	for _, at := range c.crashes {
		for _, mishap := range mishapsAt(at) {
			if !t.Run(fmt.Sprintf("%s %s", mishap, at), func(t *testing.T) { befalls(t, c, at, mishap) }) {
				// The next round would start with what this one left.
				return
			}
		}
	}
	c.machines(t)
}

// noneForgotten fails if no case tries the kind of a write. It ignores the writes of a power cycle, which may begin before the round
// ends: sim/baremetal/cycle tries those.
func noneForgotten(t *testing.T, passed []fault.Moment) {
	t.Helper()
	// A write on one machine stands for the same write on any other.
	kind := strings.NewReplacer(bystander, theSick, newcomer, theSick).Replace
	for _, m := range passed {
		tried := func(c remedyCase) bool {
			return slices.ContainsFunc(c.crashes, func(at fault.Moment) bool { return kind(at.What) == kind(m.What) })
		}
		if !ofPowerCycle(m) && !slices.ContainsFunc(remedyCases, tried) {
			t.Errorf("no case tries what happens if this goes wrong: %s", m.What)
		}
	}
}

func ofPowerCycle(m fault.Moment) bool {
	return strings.HasSuffix(m.What, " rebootremediations") || strings.Contains(m.What, " by "+reboot.FieldOwner+" ")
}

// atMost is how many rounds the test plays until a moment comes. If two writers race, which write is left out differs between rounds.
const atMost = 3

// befalls plays rounds until a mishap has happened at a moment.
func befalls(t *testing.T, c remedyCase, at fault.Moment, mishap fault.Mishap) {
	t.Helper()
	for range atMost {
		wire := &fault.Wire{Moment: at, Mishap: mishap}
		newRound(t, c).play(wire)
		if wire.Happened() || t.Failed() {
			return
		}
		t.Log("this time, that did not come")
	}
	t.Errorf("the mishap is not where it should be: that did not come in %d rounds", atMost)
}

// beforehand are the kinds whose first write comes after something outside Sickbay has changed: the check is deleted, the machine recovers, an
// upgrade begins or ends. The next manager finds that change, which it does not find after a crash at another write. Other writes follow such
// changes, too, such as the one after an approval: only the explorer tries crashes before those.
var beforehand = []string{withdrawsVerdict, endsRequest, pausesCheck}

// mishapsAt returns the mishaps to try at a moment.
func mishapsAt(m fault.Moment) []fault.Mishap {
	if slices.Contains(beforehand, m.What) {
		return []fault.Mishap{fault.CrashAfter, fault.CrashBefore}
	}
	return []fault.Mishap{fault.CrashAfter}
}

// first returns the first write of each kind.
func first(kinds ...string) []fault.Moment {
	var moments []fault.Moment
	for _, kind := range kinds {
		moments = append(moments, fault.Moment{What: kind, Nth: 1})
	}
	return moments
}
