package explain

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// finders return the pages about objects with a name, by the word for their kind.
var finders = map[string]func(f *Facts, name string) []Page{
	"": (*Facts).ofMachine, "machine": (*Facts).ofMachine, "node": (*Facts).ofNode, "mhc": (*Facts).ofCheck,
	"machinehealthcheck": (*Facts).ofCheck, "mr": (*Facts).ofRecord, "machineremediation": (*Facts).ofRecord, "cluster": (*Facts).ofCluster,
	"host": (*Facts).ofHost, "baremetalhost": (*Facts).ofHost, "bmh": (*Facts).ofHost,
}

// Explains returns an error if objects of a kind cannot be explained.
func Explains(kind string) error {
	if _, ok := finders[kind]; !ok {
		return fmt.Errorf("%q cannot be explained: it must be machine, node, host, mhc, mr or cluster", kind)
	}
	return nil
}

// Names returns the names of all objects of a kind that are there.
func (f *Facts) Names(kind string) (names []string) {
	for _, m := range f.Machines {
		switch kind {
		case "", "machine":
			names = append(names, m.Machine.Name)
		case "node":
			names = append(names, m.Machine.Status.NodeRef.Name)
		}
	}
	names = namesOf(names, kind == "mhc", f.Checks, func(c *Check) string { return c.MachineHealthCheck.Name })
	names = namesOf(names, kind == "mr", f.Records, func(r *Record) string { return r.Record.Name })
	names = namesOf(names, kind == "cluster", f.Clusters, func(c Cluster) string { return c.Cluster.Name })
	return namesOf(names, kind == "host", f.Hosts, func(h *Host) string { return h.Host.Name })
}

func namesOf[T any](names []string, wanted bool, all []T, named func(T) string) []string {
	if wanted {
		for _, one := range all {
			names = append(names, named(one))
		}
	}
	return names
}

// Of explains the objects with a kind and name, in all namespaces of the facts; without a kind, machines.
func (f *Facts) Of(kind, name string) []Page {
	if find := finders[kind]; find != nil {
		return find(f, name)
	}
	return nil
}

// In explains the object with a kind, namespace and name; false if there is none.
func (f *Facts) In(kind, namespace, name string) (Page, bool) {
	return inNamespace(f.Of(kind, name), namespace)
}

func inNamespace(pages []Page, namespace string) (Page, bool) {
	for _, p := range pages {
		if p.Namespace == namespace {
			return p, true
		}
	}
	return Page{}, false
}

// pagesOf explains those of some objects that have a name.
func pagesOf[T any](all []T, explain func(T) Page, name string, named func(T) string) (pages []Page) {
	for _, one := range all {
		if named(one) == name {
			pages = append(pages, explain(one))
		}
	}
	return pages
}

func (f *Facts) ofMachine(name string) []Page {
	if pages := pagesOf(f.Machines, f.Page, name, func(m *Machine) string { return m.Machine.Name }); len(pages) > 0 {
		return pages
	}
	return f.gonePages(name)
}

func (f *Facts) ofNode(name string) []Page {
	return pagesOf(f.Machines, f.Page, name, func(m *Machine) string { return m.Machine.Status.NodeRef.Name })
}

func (f *Facts) ofCheck(name string) []Page {
	return pagesOf(f.Checks, f.CheckPage, name, func(c *Check) string { return c.MachineHealthCheck.Name })
}

func (f *Facts) ofRecord(name string) []Page {
	return pagesOf(f.Records, f.RecordPage, name, func(r *Record) string { return r.Record.Name })
}

func (f *Facts) ofCluster(name string) []Page {
	return pagesOf(f.Clusters, func(c Cluster) Page { return f.ClusterPage(&c) }, name, func(c Cluster) string { return c.Cluster.Name })
}

// gonePages explains machines that are gone, by the latest record in each namespace.
func (f *Facts) gonePages(name string) []Page {
	latest := map[string]*Record{}
	for _, r := range f.Records {
		if r.Record.Spec.MachineRef.Name != name {
			continue
		}
		before := latest[r.Record.Namespace]
		if before == nil || r.ended() == before.ended() && before.Record.CreationTimestamp.Before(&r.Record.CreationTimestamp) || before.ended() && !r.ended() {
			latest[r.Record.Namespace] = r
		}
	}
	var pages []Page
	for _, namespace := range slices.Sorted(maps.Keys(latest)) {
		p := f.RecordPage(latest[namespace])
		p.Kind, p.Name, p.State = "Machine", name, StateGone
		p.Headline = "GONE. The last repair: " + p.Headline
		pages = append(pages, p)
	}
	return pages
}

// GonePage explains a machine that is gone, by its latest record; false if there is none.
func (f *Facts) GonePage(namespace, name string) (Page, bool) {
	return inNamespace(f.gonePages(name), namespace)
}

// RecordPage explains a MachineRemediation.
func (f *Facts) RecordPage(r *Record) Page {
	p := Page{
		APIVersion: APIVersion, Kind: "MachineRemediation", Namespace: r.Record.Namespace, Name: r.Record.Name, Cluster: r.Record.Spec.ClusterName, At: f.Now,
	}
	switch {
	case r.ended():
		p.Headline = r.outcome()
	case r.Record.Status.Phase == "":
		p.Headline = "Just created"
	default:
		p.Headline = fmt.Sprintf("%s, for %s", r.Record.Status.Phase, ago(r.Record.CreationTimestamp.Time, f.Now))
	}
	p.Next = r.Next(f.Now)
	p.row("Machine", r.Record.Spec.MachineRef.Name)
	p.row("Why", r.why(f.Now))
	m := f.machineOf(r)
	if m != nil {
		p.Next = m.upcomingOf(f)
		m.tellStart(&p, f.Now)
		f.tellDeletion(&p, m)
	}
	r.tell(&p, m, f.Now)
	if m != nil {
		p.row("Owner", m.owner())
	}
	if !r.ended() {
		f.tellNext(&p)
	}
	p.Repair = r.Repairing(f.Now)
	r.choices(&p)
	return p
}

// why says what the machine was repaired for.
func (r *Record) why(now time.Time) string {
	if by := r.Record.Spec.RequestedBy; by != nil {
		return "Asked for by " + by.String()
	}
	finding := r.Record.Spec.Finding
	return fmt.Sprintf("%s (%s, since %s)", finding.Message, finding.Reason, Clock(finding.Since.Time, now))
}

// ClusterPage explains a cluster by its MachineHealthChecks.
func (f *Facts) ClusterPage(c *Cluster) Page {
	p := Page{APIVersion: APIVersion, Kind: "Cluster", Namespace: c.Cluster.Namespace, Name: c.Cluster.Name, Cluster: c.Cluster.Name, At: f.Now}
	n, total := map[State]int{}, 0
	for _, m := range f.Machines {
		if m.Machine.Namespace == c.Cluster.Namespace && m.Machine.Spec.ClusterName == c.Cluster.Name {
			n[m.State(f.Now)]++
			total++
			p.Next = append(p.Next, m.Next(f.Now)...)
		}
	}
	for _, r := range f.Records {
		if r.Facts.Machine.Gone && r.Record.Namespace == c.Cluster.Namespace && r.Record.Spec.ClusterName == c.Cluster.Name {
			p.Next = append(p.Next, r.Next(f.Now)...)
		}
	}
	p.Headline = Count(total, "machine") + ": " + counted(n)
	p.row("Unreadable", c.unreadable(f.Now))
	for _, check := range f.Checks {
		mhc := check.MachineHealthCheck
		if mhc.Namespace == c.Cluster.Namespace && mhc.Spec.ClusterName == c.Cluster.Name {
			p.row("Check", mhc.Name+": "+check.headline())
			p.Next = append(p.Next, check.Next(f.Now)...)
		}
	}
	sortByTime(p.Next)
	f.tellNext(&p)
	p.Commands = holds("cluster", c.Cluster, f.Now)
	return p
}
