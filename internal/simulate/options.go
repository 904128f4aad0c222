package simulate

import "time"

// Options say what else happens.
type Options struct {
	// Fails fall sick at the beginning.
	Fails []Fail
	// For is how long the fleet is played.
	For time.Duration
	// RepairTakes is how long each act takes to help, and World says whether it does.
	RepairTakes time.Duration
	World       World
	// Stop is asked again and again whether it has taken long enough: then what follows is left out. Nil means that it may take for ever.
	Stop func() bool
}

func (o Options) helps() bool { return o.World.Repairs == RepairsHelp }
