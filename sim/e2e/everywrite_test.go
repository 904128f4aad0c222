package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/upgradepause"
)

// TestCrashAtEveryWrite kills the manager just before and just after each write of a remediation, and expects that
// the next one brings it to the same end.
func TestCrashAtEveryWrite(t *testing.T) {
	t.Parallel()
	for _, c := range courses {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.setUp(t)
			everyWrite(t, c)
		})
	}
}

// tried tells that crashes at a write are tried in a course. Each takes seconds, so what is the same in all courses is
// tried in one of them, and what holds for the second write of a kind holds for the tenth.
func (c course) tried(w write) bool {
	switch {
	case c.upgrade:
		return strings.HasPrefix(w.what, "patch by "+upgradepause.FieldOwner)
	case isWithdrawal(w):
		// The shortest course.
		return c.unowned && w.nth == 1
	case c.thorough:
		return w.nth == 1 || (w.nth == 2 && !strings.HasSuffix(w.what, bystander) && !strings.HasSuffix(w.what, newcomer))
	}
	return w.nth == 1 && !strings.HasSuffix(w.what, "MachineHealthCheck") && !strings.HasSuffix(w.what, bystander)
}

// least is the least number of writes that are tried: verdict, record, act, what the record says of it, and its end; or pause
// and end of the pause. In a thorough course also the metadata and the status of the MachineHealthCheck.
func (c course) least() int {
	switch {
	case c.upgrade:
		return 2
	case c.thorough:
		return 7
	}
	return 5
}

// isWithdrawal tells that a verdict is taken back, as happens at the end of every round.
func isWithdrawal(w write) bool {
	return strings.HasPrefix(w.what, "patch status by "+machinehealth.FieldOwner+" ")
}

func everyWrite(t *testing.T, c course) {
	t.Helper()
	rehearsal := &crash{}
	if !t.Run("no crash", func(t *testing.T) { newRound(t, c).play(rehearsal) }) {
		return
	}
	t.Logf("the writes: %v", rehearsal.recorded())
	reached := 0
	for _, at := range rehearsal.recorded() {
		if !c.tried(at) {
			continue
		}
		for _, after := range []bool{false, true} {
			moment := map[bool]string{false: "before", true: "after"}[after]
			ok := t.Run(fmt.Sprintf("%s %s", moment, at), func(t *testing.T) {
				dying := &crash{at: at, after: after}
				newRound(t, c).play(dying)
				if dying.isOver() {
					reached++
					return
				}
				t.Log("this time, that write was not needed")
			})
			if !ok {
				// The next round would begin with what this one has left.
				return
			}
		}
	}
	t.Logf("the manager crashed %d times", reached)
	NewWithT(t).Expect(reached).To(BeNumerically(">=", 2*c.least()), "the crashes are not where they should be")
	c.machines(t)
}
