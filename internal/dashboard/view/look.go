package view

import (
	"fmt"
	"hash/fnv"
	"time"

	"github.com/sickbay-dev/sickbay/internal/explain"
)

// Look is the fleet at one moment, prepared once for all pages and viewers.
type Look struct {
	Facts *explain.Facts
	Fleet explain.Fleet
	// Machines are all machines, by namespace and name.
	Machines []Machine
	// Zones are the failure domains, in order.
	Zones []string
	// Version changes whenever a page would change, other than in how long ago things happened.
	Version string

	byName map[key]*Machine
	checks map[key]*explain.Check
	// spread has the names that exist in several namespaces.
	spread map[spread]bool
}

type key struct{ namespace, name string }

// New prepares a look.
func New(facts *explain.Facts) *Look {
	l := &Look{Facts: facts, Fleet: facts.Fleet(), byName: map[key]*Machine{}, checks: map[key]*explain.Check{}, spread: spreads(facts)}
	for _, m := range facts.Machines {
		one := machine(m, facts.Now)
		one.Link = l.to("machines", one.Namespace, one.Name)
		l.Machines = append(l.Machines, one)
	}
	for i := range l.Machines {
		l.byName[key{l.Machines[i].Namespace, l.Machines[i].Name}] = &l.Machines[i]
	}
	for _, c := range facts.Checks {
		l.checks[key{c.MachineHealthCheck.Namespace, c.MachineHealthCheck.Name}] = c
	}
	l.Zones = distinct(l.Machines, func(m *Machine) string { return m.Zone })
	l.Version = l.version()
	return l
}

// Idle reports whether no manager leads, so nothing of what is due happens.
func (l *Look) Idle() bool { return l.Facts.Manager == explain.Manager{} }

// version returns a hash of what people can see of a look.
func (l *Look) version() string {
	h := fnv.New64a()
	put := func(parts ...string) {
		for _, part := range parts {
			h.Write([]byte(part))
			h.Write([]byte{0})
		}
	}
	for i := range l.Machines {
		m := &l.Machines[i]
		put(string(m.of.Machine.UID), m.of.Machine.ResourceVersion, string(m.State))
	}
	for _, r := range l.Facts.Records {
		put(r.Record.Name, r.Record.ResourceVersion, r.Problem)
		if r.Reboot != nil {
			put(r.Reboot.ResourceVersion)
		}
	}
	for i := range l.Fleet.Checks {
		put(fmt.Sprint(l.Fleet.Checks[i]))
	}
	for _, one := range l.Fleet.Next {
		if one.At.After(l.Facts.Now) {
			put(one.At.Format(time.RFC3339))
		}
		put(one.Namespace, one.Name, one.What)
	}
	for _, items := range [][]explain.Item{l.Fleet.NeedsYou, l.Fleet.Paused, l.Fleet.Unreadable} {
		for _, item := range items {
			put(item.Namespace, item.Name, item.Text)
		}
	}
	put(l.Fleet.Manager, fmt.Sprint(len(l.Facts.Clusters)))
	return fmt.Sprintf("%x", h.Sum64())
}
