package admission

// Counts counts the Machines of a MachineHealthCheck. Expected is always the sum of Healthy, Sick, Undecided, Unconfirmed and
// Deleting.
type Counts struct {
	Expected int
	// Healthy have the verdict True.
	Healthy int
	// Sick have the verdict False.
	Sick int
	// Undecided have another verdict or none: for example, they are starting, or their Node cannot be read.
	Undecided int
	// Unconfirmed have an old verdict that a new judgement does not confirm; a new verdict is on its way.
	Unconfirmed int
	// Deleting are being deleted.
	Deleting int
	// StoredHealthy have the verdict True and are not being deleted, confirmed or not.
	StoredHealthy int
}

// Unhealthy is the number that the upper bound of triggerIf applies to: all that are not certainly healthy.
func (c Counts) Unhealthy() int { return c.Expected - c.Healthy }

// Confirmed is the number that the lower bound of triggerIf applies to: all that are certainly unhealthy.
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
