package machinehealthcheck

import "k8s.io/apimachinery/pkg/util/intstr"

// Counts are those of the Machines of a MachineHealthCheck. They always add up:
// Expected is the sum of Healthy, Sick, Undecided and Deleting.
type Counts struct {
	Expected int
	// Healthy have the verdict True.
	Healthy int
	// Sick have the verdict False.
	Sick int
	// Undecided have another verdict or none: they are starting, say, or their Node
	// cannot be read.
	Undecided int
	// Deleting are on their way out.
	Deleting int
	// InFlight have a remedy at work on them.
	InFlight int
}

// Unhealthy is the number that triggerIf is compared with: whatever is not healthy.
func (c Counts) Unhealthy() int { return c.Expected - c.Healthy }

func count(all []Target) Counts {
	c := Counts{Expected: len(all)}
	for _, target := range all {
		switch {
		case target.deleting():
			c.Deleting++
		case target.healthy():
			c.Healthy++
		case target.sick():
			c.Sick++
		default:
			c.Undecided++
		}
		if target.inFlight() {
			c.InFlight++
		}
	}
	return c
}

// unbounded stands for a budget without a bound.
const unbounded = -1

// budget is how many remedies may run at once.
func budget(maxInFlight *intstr.IntOrString, expected int) int {
	if maxInFlight == nil {
		return unbounded
	}
	n, err := scale(*maxInFlight, expected)
	if err != nil {
		return 0
	}
	return max(1, n)
}

// free is how many more remedies may start now.
func (d *Decision) free() int {
	if d.budget == unbounded {
		return unbounded
	}
	return max(0, d.budget-d.Counts.InFlight-d.unseen)
}

// RemediationsAllowed is how many more Machines may become unhealthy and be
// remediated at once; never negative.
func (d *Decision) RemediationsAllowed() int {
	room := d.trigger.room(d.Counts.Unhealthy())
	if d.free() == unbounded {
		return room
	}
	return min(room, d.free())
}
