package e2e_test

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/upgradepause"
	"github.com/sickbay-dev/sickbay/sim/fault"
)

// everything is for whoever has hours.
var everything = flag.Bool("everything", false, "try each mishap at each write and watch event of each course and story; hours")

// TestMishaps has each write of a remediation go wrong in each way, and expects that it comes to the same end.
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
	happened := map[fault.Mishap]int{}
	for _, at := range rehearsal.Moments() {
		for _, mishap := range c.mishapsAt(at) {
			ok := t.Run(fmt.Sprintf("%s %s", mishap, at), func(t *testing.T) {
				wire := &fault.Wire{Moment: at, Mishap: mishap}
				newRound(t, c).play(wire)
				if wire.Happened() {
					happened[mishap]++
					return
				}
				t.Log("this time, that did not come")
			})
			if !ok {
				// The next round would begin with what this one has left.
				return
			}
		}
	}
	t.Logf("this has happened: %v", happened)
	for _, mishap := range c.triedMishaps() {
		NewWithT(t).Expect(happened[mishap]).To(BeNumerically(">=", c.least()), "%s: the mishaps are not where they should be", mishap)
	}
	c.machines(t)
}

// mishapsAt are those that are tried at a moment of a course.
func (c course) mishapsAt(m fault.Moment) []fault.Mishap {
	switch {
	case m.Event && *everything && m.Nth == 1:
		return fault.EventMishaps()
	case m.Event || !c.tried(m):
		return nil
	}
	return c.triedMishaps()
}

func (c course) triedMishaps() []fault.Mishap {
	switch {
	case *everything:
		return fault.WriteMishaps()
	case c.mishaps == nil:
		return []fault.Mishap{fault.CrashBefore, fault.CrashAfter}
	}
	return c.mishaps
}

// tried reports whether mishaps are tried at a write. Each takes seconds, so what is the same in all courses is tried in one
// of them, and what holds for the second write of a kind holds for the tenth.
func (c course) tried(m fault.Moment) bool {
	switch {
	case c.upgrade:
		return strings.HasPrefix(m.What, "patch by "+upgradepause.FieldOwner)
	case isWithdrawal(m):
		// The shortest course.
		return c.unowned && m.Nth == 1
	case c.thorough:
		return m.Nth == 1 || (m.Nth == 2 && !strings.HasSuffix(m.What, bystander) && !strings.HasSuffix(m.What, newcomer))
	}
	return m.Nth == 1 && !slices.ContainsFunc([]string{healthChecks, bystander, newcomer}, func(role string) bool {
		return strings.HasSuffix(m.What, role)
	})
}

// least is the least number of writes that are tried: verdict, record, act, what the record says of it, and its end; or pause
// and end of the pause. If second writes count, also the metadata and the status of the MachineHealthCheck.
func (c course) least() int {
	switch {
	case c.upgrade:
		return 2
	case c.thorough:
		return 7
	}
	return 5
}

// isWithdrawal reports whether a verdict is taken back, as happens at the end of every round.
func isWithdrawal(m fault.Moment) bool {
	return strings.HasPrefix(m.What, "patch status by "+machinehealth.FieldOwner+" ")
}
