package soak

import "time"

// Frozen plants a fault: the manager stands still for so long in the middle, and nobody is told.
func (o Options) Frozen(d time.Duration) Options {
	o.frozen = d
	return o
}
