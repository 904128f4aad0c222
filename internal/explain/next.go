package explain

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/sickbay-dev/sickbay/internal/explain/ahead"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// Next returns what happens to a machine by itself, earliest first.
func (m *Machine) Next(now time.Time) []Upcoming {
	var all []Upcoming
	if verdict, ok := m.nextVerdict(now); ok {
		all = append(all, verdict)
	}
	if m.Record != nil {
		all = append(all, m.Record.Next(now)...)
	}
	sortByTime(all)
	return all
}

// Next returns what happens to a record by itself; nothing if it waits for somebody or something else.
func (r *Record) Next(now time.Time) []Upcoming {
	at, what, ok := r.next(now)
	if !ok {
		return nil
	}
	return []Upcoming{{At: at, Namespace: r.Record.Namespace, Cluster: r.Record.Spec.ClusterName, Name: r.Record.Spec.MachineRef.Name, What: what}}
}

// Next returns which machines are admitted by themselves, now or later, and when.
func (c *Check) Next(now time.Time) []Upcoming {
	if c.Problem != "" || c.Foreign || c.Decision.Config.OnlyReports() {
		return nil
	}
	all := c.holdEnds(now)
	for _, one := range ahead.Admissions(c.Facts, c.Decision, c.open(), now) {
		all = append(all, Upcoming{
			At: one.At, Namespace: one.Machine.Namespace, Cluster: one.Machine.Spec.ClusterName, Name: one.Machine.Name,
			What: "goes into repair: " + one.Step + whenFreed(one),
		})
	}
	return all
}

// open returns what is known about the open repairs, except for those whose next step is unknown.
func (c *Check) open() []ladder.Facts {
	var all []ladder.Facts
	for _, r := range c.Open {
		if r.Problem == "" && r.Facts.Record != nil {
			all = append(all, r.Facts)
		}
	}
	return all
}

// whenFreed says whose repair gives back the slot for an admission; empty if none does.
func whenFreed(one ahead.Admitted) string {
	names := SomeNames(one.After)
	switch {
	case len(one.After) == 0:
		return ""
	case one.Ended && len(one.After) == 1:
		return ", when the repair of " + names + " ends"
	case one.Ended:
		return ", when the repairs of " + names + " end"
	case len(one.After) == 1:
		return ", when " + names + "'s time is up"
	}
	return ", when the time of " + names + " is up"
}

// What happens when a hold ends. That of a Cluster ends for each of its MachineHealthChecks.
const (
	holdEnds        = "the hold ends"
	clusterHoldEnds = "the hold on its Cluster ends"
)

// holdEnds returns when the hold on a MachineHealthCheck or its Cluster ends; nothing if there is none.
func (c *Check) holdEnds(now time.Time) []Upcoming {
	mhc, what := c.MachineHealthCheck, holdEnds
	_, until := mhcspec.OnHold(now, mhc, c.Facts.Cluster)
	if until.IsZero() {
		return nil
	}
	if _, ofCluster := mhcspec.OnHold(now, c.Facts.Cluster); ofCluster.Equal(until) {
		what = clusterHoldEnds
	}
	return []Upcoming{{At: until, Namespace: mhc.Namespace, Cluster: mhc.Spec.ClusterName, Name: mhc.Name, What: what}}
}

// Next returns what happens in the fleet by itself, earliest first.
func (f *Facts) Next() []Upcoming {
	var all []Upcoming
	for _, m := range f.Machines {
		all = append(all, m.Next(f.Now)...)
	}
	for _, r := range f.Records {
		if r.Facts.Machine.Gone {
			all = append(all, r.Next(f.Now)...)
		}
	}
	for _, c := range f.Checks {
		all = append(all, c.Next(f.Now)...)
	}
	sortByTime(all)
	return all
}

func sortByTime(all []Upcoming) {
	slices.SortStableFunc(all, func(a, b Upcoming) int {
		return cmp.Or(a.At.Compare(b.At), strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
}
