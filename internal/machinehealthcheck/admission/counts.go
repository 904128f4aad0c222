package admission

// Counts are those of the Machines of a MachineHealthCheck. They always add up: Expected is the sum of Healthy, Sick,
// Undecided, Unconfirmed and Deleting.
type Counts struct {
	Expected int
	// Healthy have the verdict True.
	Healthy int
	// Sick have the verdict False.
	Sick int
	// Undecided have another verdict or none: they are starting, say, or their Node
	// cannot be read.
	Undecided int
	// Unconfirmed have a verdict that a look just now does not bear out: it is old, and a new one is on its way.
	Unconfirmed int
	// Deleting are on their way out.
	Deleting int
	// StoredHealthy have the verdict True and are not on their way out, confirmed or not.
	StoredHealthy int
}

// Unhealthy is the number that the upper bound of triggerIf is compared with: whatever is not healthy for certain.
func (c Counts) Unhealthy() int { return c.Expected - c.Healthy }

// Confirmed is the number that the lower bound of triggerIf is compared with: whatever is unhealthy for certain.
func (c Counts) Confirmed() int { return c.Unhealthy() - c.Unconfirmed }

func count(all []Target) Counts {
	c := Counts{Expected: len(all)}
	for i := range all {
		target := &all[i]
		if target.healthy() {
			c.StoredHealthy++
		}
		switch {
		case target.deleting():
			c.Deleting++
		case target.unconfirmed():
			c.Unconfirmed++
		case target.healthy():
			c.Healthy++
		case target.sick():
			c.Sick++
		default:
			c.Undecided++
		}
	}
	return c
}
