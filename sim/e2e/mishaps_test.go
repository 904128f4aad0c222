package e2e_test

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/machinehealthcheck"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/remediation"
	"github.com/sickbay-dev/sickbay/internal/upgradepause"
	"github.com/sickbay-dev/sickbay/sim/fault"
)

// everything is for whoever has hours.
var everything = flag.Bool("everything", false, "try each mishap at each write and watch event of each course and story; hours")

// The kinds of writes of all courses.
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
	pausesCheck      = "patch by " + upgradepause.FieldOwner + " " + healthChecks
)

// TestMishaps has each kind of write of a remediation go wrong, and expects that it comes to the same end.
func TestMishaps(t *testing.T) {
	t.Parallel()
	for _, c := range courses {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.setUp(t)
			everyMoment(t, c)
		})
	}
}

func everyMoment(t *testing.T, c course) {
	t.Helper()
	rehearsal := &fault.Wire{}
	if !t.Run("no mishap", func(t *testing.T) { newRound(t, c).play(rehearsal) }) {
		return
	}
	noneForgotten(t, rehearsal.Moments())
	moments := slices.Concat(c.crashes, c.suffers)
	if *everything {
		moments = rehearsal.Moments()
	}
	for _, at := range moments {
		for _, mishap := range c.mishapsAt(at) {
			if !t.Run(fmt.Sprintf("%s %s", mishap, at), func(t *testing.T) { befalls(t, c, at, mishap) }) {
				// The next round would begin with what this one has left.
				return
			}
		}
	}
	c.machines(t)
}

// noneForgotten fails if a write is of a kind that no course tries. Those of a power cycle, which may begin before the round ends, are
// tried by sim/baremetal/cycle.
func noneForgotten(t *testing.T, passed []fault.Moment) {
	t.Helper()
	// What is written on one machine is written on any.
	kind := strings.NewReplacer(bystander, theSick, newcomer, theSick).Replace
	for _, m := range passed {
		tried := func(c course) bool {
			return slices.ContainsFunc(slices.Concat(c.crashes, c.suffers), func(at fault.Moment) bool { return kind(at.What) == kind(m.What) })
		}
		if !m.Event && !ofPowerCycle(m) && !slices.ContainsFunc(courses, tried) {
			t.Errorf("no course tries what happens if this goes wrong: %s", m.What)
		}
	}
}

func ofPowerCycle(m fault.Moment) bool {
	return strings.HasSuffix(m.What, " rebootremediations") || strings.Contains(m.What, " by "+reboot.FieldOwner+" ")
}

// atMost is how many rounds are played until a moment comes: which of two writes is left out, because somebody else was faster,
// is not the same each time.
const atMost = 3

// befalls plays rounds until a mishap has happened at a moment.
func befalls(t *testing.T, c course, at fault.Moment, mishap fault.Mishap) {
	t.Helper()
	for range atMost {
		wire := &fault.Wire{Moment: at, Mishap: mishap}
		newRound(t, c).play(wire)
		if wire.Happened() || t.Failed() {
			return
		}
		t.Log("this time, that did not come")
		if *everything {
			return
		}
	}
	t.Errorf("the mishap is not where it should be: that did not come in %d rounds", atMost)
}

// mishapsAt are those that are tried at a moment of a course.
func (c course) mishapsAt(m fault.Moment) []fault.Mishap {
	switch {
	case *everything:
		return mishapsInStory(m)
	case slices.Contains(c.suffers, m):
		return []fault.Mishap{fault.CrashBefore, fault.CrashAfter, fault.AnswerLost, fault.Conflict, fault.ServerError}
	}
	return []fault.Mishap{fault.CrashBefore, fault.CrashAfter}
}

// first is the first write of each of some kinds.
func first(kinds ...string) []fault.Moment {
	var moments []fault.Moment
	for _, kind := range kinds {
		moments = append(moments, fault.Moment{What: kind, Nth: 1})
	}
	return moments
}
