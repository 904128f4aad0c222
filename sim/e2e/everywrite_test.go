package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
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

// essential is the least number of writes of a remediation: the metadata and the status of the MachineHealthCheck, the
// verdict, the remedy.
const essential = 4

// isWithdrawal tells that a verdict is taken back, as happens at the end of every round. One course is enough to try
// that, and the shortest is the one without an owner.
func isWithdrawal(w write) bool { return strings.HasPrefix(w.what, "patch status ") }

func everyWrite(t *testing.T, c course) {
	t.Helper()
	rehearsal := &crash{}
	if !t.Run("no crash", func(t *testing.T) { newRound(t, c).play(rehearsal) }) {
		return
	}
	reached := 0
	for _, at := range rehearsal.recorded() {
		if at.nth > max(1, c.repetitions) || (isWithdrawal(at) && !c.unowned) {
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
	NewWithT(t).Expect(reached).To(BeNumerically(">=", 2*essential), "the crashes are not where they should be")
	c.machines(t)
}
