package view_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/internal/dashboard/view"
	"github.com/sickbay-dev/sickbay/internal/explain/explaintest"
)

func names(p view.MachinesPage) string {
	var all []string
	for _, row := range p.Rows {
		all = append(all, row.Name)
	}
	return strings.Join(all, " ")
}

// TestMachines finds machines by typed words, and sorts them.
func TestMachines(t *testing.T) {
	look := view.New(explaintest.Eleven())
	for name, tt := range map[string]struct {
		query view.Query
		want  string
	}{
		"the most urgent first": {view.Query{}, "metal-3 md-0-b md-0-c metal-2 storage-0 metal-1 metal-4 md-0-d edge-0 md-0-a metal-5"},
		"by name":               {view.Query{Sort: "-name", Cluster: "green"}, "md-0-d md-0-c md-0-b md-0-a"},
		"by time":               {view.Query{Sort: "since", Cluster: "blue"}, "metal-4 metal-1 metal-2 metal-3 metal-5"},
		"two words":             {view.Query{Text: "EU-1B  md-0"}, "md-0-b md-0-c"},
		"by Node":               {view.Query{Text: "node-metal-3"}, "metal-3"},
		"a state":               {view.Query{State: "Paused"}, "edge-0"},
		"a domain of a check":   {view.Query{Zone: "eu-1a", Check: "storage"}, "storage-0"},
		"none":                  {view.Query{Text: "nowhere"}, ""},
		"another namespace":     {view.Query{Namespace: "other"}, ""},
		"no such column":        {view.Query{Sort: "color", Check: "storage"}, "storage-0"},
	} {
		p := look.MachinesPage(tt.query)
		if diff := cmp.Diff(tt.want, names(p)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if p.All != 11 || p.Pages.Total != len(p.Rows) {
			t.Errorf("%s: %d of %d", name, p.Pages.Total, p.All)
		}
	}
}

// TestPages: each machine is on exactly one page, whatever the filter and the order.
func TestPages(t *testing.T) {
	look := view.New(explaintest.Many(231, 20))
	rapid.Check(t, func(t *rapid.T) {
		q := view.Query{
			State: rapid.SampledFrom([]string{"", "Sick", "Healthy", "Held"}).Draw(t, "state"), Cluster: rapid.SampledFrom([]string{"", "cluster-01"}).Draw(t, "cluster"),
			Sort: rapid.SampledFrom([]string{"", "-state", "name", "-since", "zone"}).Draw(t, "sort"),
		}
		seen, page := map[string]bool{}, look.MachinesPage(q)
		total := page.Pages.Total
		for {
			for _, row := range page.Rows {
				if seen[row.Name] {
					t.Fatalf("%s is there twice", row.Name)
				}
				seen[row.Name] = true
			}
			if page.Pages.Following == 0 {
				break
			}
			page = look.MachinesPage(q.At(page.Pages.Following))
		}
		if len(seen) != total {
			t.Fatalf("%d of %d machines are on the pages", len(seen), total)
		}
		if last := look.MachinesPage(q.At(1 << 30)); last.Pages.Page != last.Pages.Of {
			t.Fatalf("a page that is not there is %d of %d", last.Pages.Page, last.Pages.Of)
		}
	})
}

// TestSorted: the column says how the table is sorted, and its link reverses the order.
func TestSorted(t *testing.T) {
	look := view.New(explaintest.Eleven())
	sorted := func(q view.Query) string {
		for _, column := range look.MachinesPage(q).Columns {
			if column.Sorted != "" {
				return column.Key + " " + column.Sorted
			}
		}
		return ""
	}
	q := view.Query{Page: 3}.By("name")
	if q.Page != 1 || sorted(q) != "name ascending" || sorted(q.By("name")) != "name descending" || sorted(q.By("name").By("name")) != "name ascending" {
		t.Errorf("it is sorted by %q, then %q", sorted(q), sorted(q.By("name")))
	}
}
