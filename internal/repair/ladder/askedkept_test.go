package ladder

import (
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestAskedForWaitsForAPerson: somebody else keeps the host, as only the cycle shows: to a record for single steps, and to all of OpenShift. That wait
// has no end and writes nothing: no cycle is made and withdrawn every few minutes, and the record is still there when the host is free.
func TestAskedForWaitsForAPerson(t *testing.T) {
	for name, f := range map[string]Facts{
		"a single step": keepsOff(), "an annotation": with(byAnnotation(), unlimited), "another health check": byHealthCheck(Sick), "an annotation that needs a slot": byAnnotation(),
	} {
		t.Run(name, func(t *testing.T) {
			w := &story{f: f, now: noon, asked: keptByCycle}
			w.until(48 * time.Hour)
			cycles := 0
			for _, act := range w.acts {
				if act == CreateReboot {
					cycles++
				}
			}
			// One that needs a slot gives it back meanwhile, so it has to ask again.
			again := name == "an annotation that needs a slot"
			if s := &w.f.Record.Status; s.Phase == v1alpha1.RemediationEnded || (cycles > 10 && !again) {
				t.Errorf("after two days it has made %d cycles and is %s: %s", cycles, s.Phase, Success(s).Message)
			}
		})
	}
}
