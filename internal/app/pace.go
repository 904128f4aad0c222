package app

import (
	"cmp"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
)

// gatePeriod is how often kinds that are not installed are looked for.
const gatePeriod = 5 * time.Second

// pace is how often a manager looks around. The zero value is the usual pace; tests are in more of a hurry.
type pace struct {
	// gate is how often kinds that are not installed are looked for.
	gate time.Duration
	// candidate is how often a manager that waits for a lease asks for it; zero leaves that to controller-runtime.
	candidate time.Duration
	// leader is how often a manager at work looks for others; zero leaves that to package lease.
	leader time.Duration
}

func (p pace) gatePeriod() time.Duration { return cmp.Or(p.gate, gatePeriod) }

// fill has a manager keep the pace in the election.
func (p pace) fill(o *ctrl.Options) {
	if p.candidate > 0 {
		o.RetryPeriod = new(p.candidate)
	}
}
