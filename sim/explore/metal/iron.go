package metal

import (
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

const (
	// SwitchTime is how long a host takes to go off or to come on.
	SwitchTime = 5 * time.Second
	// BootTime is how long the system takes to boot, until its kubelet reports.
	BootTime = 30 * time.Second
	// Lease is how long a Node stays Ready after its kubelet has stopped reporting.
	Lease = 40 * time.Second
)

// Iron is a host itself.
type Iron struct {
	On bool
	// turnsOn is a command that the host has accepted, which it carries out at due; nil if there is none.
	turnsOn *bool
	due     time.Time
	// Boots counts how often it came on. OnAt and OffAt are when it last came on and went off.
	Boots       int
	OnAt, OffAt time.Time
	// Reports is set once the kubelet has reported since the last boot.
	Reports bool
	// Lost is set while nobody reaches its BMC.
	Lost bool
}

// Running returns a host that has been on for long.
func Running() *Iron { return &Iron{On: true, Boots: 1, Reports: true} }

// ComesOn reports whether workloads may run on a host at any moment: it is on, or about to come on.
func (i *Iron) ComesOn() bool { return i.On || (i.turnsOn != nil && *i.turnsOn) }

// Accept makes a host go off or come on after a while.
func (i *Iron) Accept(on bool, now time.Time) { i.turnsOn, i.due = &on, now.Add(SwitchTime) }

// Turn carries out the command of a host if it is due. It reports whether the host is on then, and whether that is new.
func (i *Iron) Turn(now time.Time) (on, changed bool) {
	if !i.IsDue(now) {
		return i.On, false
	}
	on = *i.turnsOn
	i.turnsOn = nil
	if on == i.On {
		return on, false
	}
	if i.On = on; on {
		i.Boots++
		i.OnAt = now
	} else {
		i.OffAt, i.Reports = now, false
	}
	return on, true
}

// IsDue reports whether a command takes effect.
func (i *Iron) IsDue(now time.Time) bool { return i.turnsOn != nil && !i.due.After(now) }

// Booted reports whether the kubelet has to report that the system has booted.
func (i *Iron) Booted(now time.Time) bool {
	return i.On && !i.Reports && !now.Before(i.OnAt.Add(BootTime))
}

// Silent reports whether a kubelet has been silent for so long that everybody knows.
func (i *Iron) Silent(now time.Time) bool { return !i.Reports && !now.Before(i.silentAt()) }

// silentAt is when a host that went off is missed.
func (i *Iron) silentAt() time.Time { return i.OffAt.Add(Lease) }

// Next returns when something happens to the host by itself after now; zero if never.
func (i *Iron) Next(now time.Time) time.Time {
	var next time.Time
	for _, one := range []struct {
		expected bool
		at       time.Time
	}{{i.turnsOn != nil, i.due}, {i.On && !i.Reports, i.OnAt.Add(BootTime)}, {!i.Reports && !i.OffAt.IsZero(), i.silentAt()}} {
		if one.expected && one.at.After(now) {
			next = healthcheck.Earliest(next, one.at)
		}
	}
	return next
}
