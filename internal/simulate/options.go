package simulate

import "time"

// Options are the options of a simulation.
type Options struct {
	// Fails select the machines that fail at the beginning.
	Fails []Fail
	// For is how much time to simulate.
	For time.Duration
	// RepairTakes is how long each act takes to help, and World says whether it does.
	RepairTakes time.Duration
	World       World
	// Stop is called again and again, and reports whether to end the simulation early. Nil means never.
	Stop func() bool
}

func (o Options) helps() bool { return o.World.Repairs == RepairsHelp }
