package soak

import "time"

// Frozen plants a fault: the manager freezes for d in the middle of the soak, and the ledger
// does not record it.
func (o Options) Frozen(d time.Duration) Options {
	o.frozen = d
	return o
}
