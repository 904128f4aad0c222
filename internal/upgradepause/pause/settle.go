package pause

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/humanize"
)

// Settle says how a pause ends if another controller manages the machines. That controller's clocks kept running during the
// upgrade, so it would at once remediate every machine that is not back yet.
type Settle struct {
	// Within is how long the pause may last after the upgrade; zero resumes at once.
	Within time.Duration
	// NotReady are the machines without a Ready Node, sorted. They are read only when they matter.
	NotReady []string
	// Unknown says why NotReady is not known; empty if it is known.
	Unknown string
	// Starting reports whether NotReady may be known in a moment.
	Starting bool
}

// settled reports whether all Nodes are known to be Ready, or the pause need not wait for that.
func (s Settle) settled() bool {
	return s.Within <= 0 || (len(s.NotReady) == 0 && s.Unknown == "" && !s.Starting)
}

// settle keeps the pause until the Nodes are Ready or the time is up. It stores when that wait began.
func settle(f Facts, now time.Time) Decision {
	stored := timeOf(f.Annotations, SettlingAnnotation, now)
	began := cmp.Or(stored, now)
	until := began.Add(f.Settle.Within)
	if f.Settle.settled() || !now.Before(until) {
		return end(f, now)
	}
	d := paused(f, now)
	wanted := f.pause(d.PausedAt)
	wanted[SettlingAnnotation] = format(began)
	if value, ok := f.Annotations[WarnedAtAnnotation]; ok {
		wanted[WarnedAtAnnotation] = new(value)
	}
	if stored.IsZero() {
		d.Transition = Settling
	}
	d.Changes = difference(f.Annotations, wanted)
	d.RecheckAt = healthcheck.Earliest(until, now.Add(lookAgain))
	if f.Settle.Starting {
		d.RecheckAt = healthcheck.Earliest(until, now.Add(lookSoon))
	}
	return d
}

// waits says what the pause is waiting for.
func (s Settle) waits() string {
	if s.Unknown != "" || s.Starting {
		return "Sickbay cannot see whether they are" + strings.TrimSuffix(": "+s.Unknown, ": ")
	}
	return "without a Node that is Ready: " + humanize.Some(s.NotReady, 5)
}

// ending says why a MachineHealthCheck is resumed after an upgrade.
func (s Settle) ending() string {
	switch {
	case s.Within <= 0:
		return ""
	case s.settled():
		return ", and all Nodes are Ready"
	}
	return fmt.Sprintf(", and so are the %s that its Nodes had to get Ready; %s", s.Within, s.waits())
}
