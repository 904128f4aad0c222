package app

import (
	"cmp"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
)

// kindsPeriod is how often the manager looks for kinds that are not installed.
const kindsPeriod = 5 * time.Second

// pace is how often a manager looks for changes. The zero value is the usual pace; tests use a faster one.
type pace struct {
	// kinds is how often to look for kinds that are not installed.
	kinds time.Duration
	// candidate is how often a standby tries to get the lease; zero means the default of controller-runtime.
	candidate time.Duration
	// patient lets each worker wait for a workload cluster as long as that may take.
	patient bool
}

func (p pace) kindsPeriod() time.Duration { return cmp.Or(p.kinds, kindsPeriod) }

// fill sets the pace of the election.
func (p pace) fill(o *ctrl.Options) {
	if p.candidate > 0 {
		o.RetryPeriod = new(p.candidate)
	}
}
