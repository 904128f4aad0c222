package admission

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// Decision is who is admitted, and what the status of a MachineHealthCheck says.
type Decision struct {
	// Paused names the causes of a pause.
	Paused []string
	Counts Counts
	Config mhcspec.Config
	// Stopped says why nobody is admitted; its Reason is empty if nothing stops admissions.
	Stopped Obstacle
	// Allowed reports whether triggerIf allows a repair to begin.
	Allowed bool
	// Asked are the records to grant a slot that an annotation asked for, in order. No gate, pause or hold of the MachineHealthCheck keeps it from them.
	Asked []Admission
	// Admit are the machines to admit now, in order.
	Admit []Admission
	// Next are the waiting machines that replace those that cannot be admitted, in order.
	Next []Admission
	// Waiting are the machines that are due but not admitted, and why.
	Waiting []Waiting
	// Blocked are the sick machines whose records wait for something other than a slot, with one word for what.
	Blocked []Waiting
	// InFlight are the machines that take a slot, by UID with their names.
	InFlight map[types.UID]string
	// Steps are the plan of new records; they are set if somebody is due.
	Steps []v1alpha1.RemediationStep
	// RecheckAt is when the decision can change by itself; zero means never.
	RecheckAt time.Time

	gate gate
	// budget is how many machines may be in flight at once; negative if there is no limit.
	budget int
}

// Obstacle says why nobody is admitted, or why one machine is not.
type Obstacle struct {
	// Reason is the reason of the condition RemediationAllowed.
	Reason string
	// Message explains it.
	Message string
	// Until is when it ends by itself; zero if it does not.
	Until time.Time
}

// Decide decides which machines of a MachineHealthCheck are admitted.
func Decide(f Facts, now time.Time) Decision {
	config, gate, problems := configuration(f)
	d := Decision{Counts: count(f.Targets), Config: config, InFlight: f.inFlight(now), budget: unbounded}
	d.Stopped = stopped(f, problems, now)
	if d.Stopped.Reason != ReasonInvalidConfiguration {
		d.gate, d.budget = gate, budget(d.Config.MaxInFlight, d.Counts.Expected)
	}
	if d.Config.MaxInFlight != nil {
		// Annotations are granted slots even if other settings are wrong.
		d.RecheckAt = f.nextHangs(now)
	}
	d.grantAsked(f, now)
	if paused := mhcspec.Paused(f.MachineHealthCheck, f.Cluster); len(paused) > 0 {
		d.Paused, d.Stopped = paused, Obstacle{Reason: ReasonPaused}
		d.admitLine(f, now)
		return d
	}
	d.Allowed = d.Stopped.Reason == "" && gate.allows(d.Counts, true)
	d.RecheckAt = healthcheck.Earliest(d.RecheckAt, d.Stopped.Until)
	for i := range f.Targets {
		if shared := f.Targets[i].Shared; shared != nil {
			d.RecheckAt = healthcheck.Earliest(d.RecheckAt, shared.ChangesAt)
		}
	}
	if d.Counts.Unconfirmed > 0 {
		d.RecheckAt = healthcheck.Earliest(d.RecheckAt, now.Add(unconfirmedRetry))
	}
	d.admitLine(f, now)
	d.findBlocked(f, now)
	return d
}

// unconfirmedRetry is how long to wait before deciding again after verdicts were not confirmed. A Machine that is really unhealthy gets its verdict
// long before, and with it an event.
const unconfirmedRetry = 15 * time.Second

// admitLine admits the machines in line, or records why each waits.
func (d *Decision) admitLine(f Facts, now time.Time) {
	line, at := f.line(now)
	d.RecheckAt = healthcheck.Earliest(d.RecheckAt, at)
	strays := f.strays()
	if len(line)+len(strays) == 0 {
		return
	}
	d.Steps = Steps(f, d.Config)
	d.takeOver(f, strays, now)
	var ready []Admission
	past := f.history()
	for _, one := range line {
		obstacle := d.obstacle(f, one, now)
		if obstacle.Reason == "" {
			ready = append(ready, d.begin(f, past, one, now))
			continue
		}
		d.RecheckAt = healthcheck.Earliest(d.RecheckAt, obstacle.Until)
		d.wait(one, obstacle)
	}
	d.giveSlots(f, d.paced(f, ready, now))
}

// grantAsked grants slots to what annotations ask for, as long as there are some: programs annotate whole racks. The earliest come first.
func (d *Decision) grantAsked(f Facts, now time.Time) {
	line, at := f.asked(now)
	d.RecheckAt = healthcheck.Earliest(d.RecheckAt, at)
	// The limit holds even if other settings are invalid.
	if most := budget(d.Config.MaxInFlight, d.Counts.Expected); most != unbounded {
		line = line[:min(max(0, most-len(d.InFlight)), len(line))]
	}
	if f.Unseen || mhcspec.PlanMissing(f.MachineHealthCheck, f.Template.Plan) {
		return
	}
	for _, one := range line {
		d.takeSlot(one.Machine)
	}
	d.Asked = line
}

// giveSlots admits those who are ready, as long as there are slots.
func (d *Decision) giveSlots(f Facts, ready []Admission) {
	free := d.free()
	for _, one := range ready {
		switch {
		case one.needsSlot() && free == 0:
			d.wait(one, Obstacle{Reason: v1alpha1.ReasonNoSlot, Message: "every slot is in use; the repair waits until one is free"})
			d.Next = append(d.Next, one)
		case f.Unseen:
			d.wait(one, Obstacle{Reason: ReasonExpected, Message: "machines admitted earlier do not show in the cache yet"})
		default:
			if one.needsSlot() && free != unbounded {
				free--
			}
			d.Admit = append(d.Admit, one)
		}
	}
}

// takeOver admits the machines with strays regardless of slots: what was asked for is under way.
func (d *Decision) takeOver(f Facts, strays []Admission, now time.Time) {
	if d.Stopped.Reason != "" {
		return
	}
	for _, one := range strays {
		obstacle := f.recentFailure(one, now)
		if len(d.Steps) == 0 {
			obstacle = Obstacle{ReasonTemplateNotFound, f.Template.Missing, now.Add(TemplateRetry)}
		}
		if obstacle.Reason != "" {
			d.RecheckAt = healthcheck.Earliest(d.RecheckAt, obstacle.Until)
			d.wait(one, obstacle)
			continue
		}
		d.takeSlot(one.Machine)
		d.Admit = append(d.Admit, one)
	}
}

func (d *Decision) takeSlot(machine *clusterv1.Machine) {
	if d.InFlight == nil {
		d.InFlight = map[types.UID]string{}
	}
	d.InFlight[machine.UID] = machine.Name
}

// free returns how many more slots may be given now.
func (d *Decision) free() int {
	if d.budget == unbounded {
		return unbounded
	}
	return max(0, d.budget-len(d.InFlight))
}

// RemediationsAllowed returns how many more Machines may become unhealthy and be repaired at once; never negative.
func (d *Decision) RemediationsAllowed() int {
	if d.Stopped.Reason != "" {
		return 0
	}
	room := d.gate.room(d.Counts)
	if d.free() == unbounded {
		return room
	}
	return min(room, d.free())
}

// Bounded reports whether the number of slots is limited.
func (d *Decision) Bounded() bool { return d.budget != unbounded }

// RestsOnCounts reports whether an admission depends on a judgement of all Machines now. It does for a limit of 100%, too: a Machine whose verdict
// that judgement contradicts is not admitted.
func (d *Decision) RestsOnCounts() bool { return len(d.Admit) > 0 && d.gate.limit != "" }

// MaxUnhealthy returns how many Machines may be unhealthy at most.
func (d *Decision) MaxUnhealthy() int { return d.gate.maximum }

// Slots returns how many remediations may be in flight at once; negative if there is no limit.
func (d *Decision) Slots() int { return d.budget }
