package explain

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
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
	all := append(c.holdEnds(now), c.admitted(c.Decision, nil, now)...)
	known := map[string]bool{}
	for _, one := range all {
		known[one.Name] = true
	}
	at, decision := now, c.Decision
	for range maxLooks {
		due := firstAfter(at, decision.RecheckAt)
		if due.IsZero() {
			break
		}
		at, decision = due, admission.Decide(c.Facts, due)
		all = append(all, c.admitted(decision, known, at)...)
		for _, one := range all {
			known[one.Name] = true
		}
	}
	return all
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

// admitted returns the machines that a decision admits, except the known ones.
func (c *Check) admitted(d admission.Decision, known map[string]bool, at time.Time) []Upcoming {
	var all []Upcoming
	for _, one := range d.Admit {
		if !known[one.Machine.Name] {
			all = append(all, Upcoming{
				At: at, Namespace: one.Machine.Namespace, Cluster: one.Machine.Spec.ClusterName, Name: one.Machine.Name,
				What: "is admitted to repair: " + d.StepOf(one),
			})
		}
	}
	return all
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
