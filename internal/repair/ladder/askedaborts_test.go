package ladder

import (
	"testing"
	"time"
)

// TestAbortedCyclesBackOff: cycles that begin and are aborted at once, before the host was off, as while the rest of a control plane flaps, count for
// nothing. They are not repeated without a pause, and without end.
func TestAbortedCyclesBackOff(t *testing.T) {
	f := askedFor(Healthy)
	cycles := 0
	for range 200 {
		var d Decision
		f, d = decideAll(f, noon.Add(time.Second))
		if d.Act != CreateReboot {
			break
		}
		cycles++
		f.Request = &Request{OperationID: d.Attempt.OperationID, Ref: *thing("RebootRemediation", "r"), BeganAt: noon}
		f, _ = decideAll(f, noon.Add(time.Second))
		f.Request.Aborted = true
		requestSays("False", "2 of the 2 other machines have to be up")(&f)
		f, _ = decideAll(f, noon.Add(time.Second))
		f.Request = nil
	}
	if cycles > 3 {
		t.Errorf("%d cycles were made and aborted in the same second", cycles)
	}
}
