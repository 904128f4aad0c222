package view

import (
	"github.com/sickbay-dev/sickbay/internal/explain"
)

// ClusterRow is a cluster in a table.
type ClusterRow struct {
	Link
	Machines, Healthy int
	Bar               Bar
	// Unreadable says why its Nodes cannot be read, and since when; empty if they can.
	Unreadable string
}

// ClustersPage is the table of clusters, with the heat map of all of them.
type ClustersPage struct {
	Rows  []ClusterRow
	Pages Pages
	Heat  Heat
}

// ClustersPage returns a page of the table of clusters.
func (l *Look) ClustersPage(page int) ClustersPage {
	which, shown := paged(page, l.Facts.Clusters)
	p := ClustersPage{Pages: which, Heat: l.heat(len(l.Facts.Clusters))}
	n := map[key]map[explain.State]int{}
	for i := range l.Machines {
		k := key{l.Machines[i].Namespace, l.Machines[i].Cluster}
		if n[k] == nil {
			n[k] = map[explain.State]int{}
		}
		n[k][l.Machines[i].State]++
	}
	why := map[key]string{}
	for _, item := range l.Fleet.Unreadable {
		why[key{item.Namespace, item.Name}] = item.Text
	}
	for _, c := range shown {
		k := key{c.Cluster.Namespace, c.Cluster.Name}
		row := ClusterRow{Link: l.to("clusters", k.namespace, k.name), Bar: bar(n[k]), Healthy: n[k][explain.StateHealthy], Unreadable: why[k]}
		for _, count := range n[k] {
			row.Machines += count
		}
		p.Rows = append(p.Rows, row)
	}
	return p
}
