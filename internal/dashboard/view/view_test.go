package view_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/internal/dashboard/view"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/explain/explaintest"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestFleetPage: the first page counts every machine once, and says the same as status.
func TestFleetPage(t *testing.T) {
	facts := explaintest.Eleven()
	p := view.New(facts).FleetPage()
	fleet := facts.Fleet()
	if p.Headline() != fleet.Headline() || p.Summary() != fleet.Summary() || p.Manager != "sickbay-0 leads" {
		t.Errorf("it says %q, %q, %q", p.Headline(), p.Summary(), p.Manager)
	}
	got, sum := map[string]int{}, 0
	for _, count := range p.Counts {
		got[view.Short(count.State)] = count.N
		sum += count.N
	}
	want := map[string]int{"healthy": 2, "sick": 3, "undecided": 1, "in repair": 1, "in probation": 1, "held": 1, "on hold": 1, "paused": 1}
	if diff := cmp.Diff(want, got); diff != "" || sum != len(facts.Machines) {
		t.Errorf("%d machines (-want +got):\n%s", sum, diff)
	}
	for i := 1; i < len(p.Next.Shown); i++ {
		if p.Next.Shown[i].When.ISO < p.Next.Shown[i-1].When.ISO {
			t.Errorf("%s is after %s", p.Next.Shown[i].What, p.Next.Shown[i-1].What)
		}
	}
	if first := p.Next.Shown[0]; first.Name != "md-0-d" || first.When.In != "in 2m 00s" || first.Section != "machines" {
		t.Errorf("the first that happens is %+v", first)
	}
}

// TestNamesElsewhere: in all tables and lists, a name has its namespace only if it exists in two namespaces.
func TestNamesElsewhere(t *testing.T) {
	scene := explaintest.New()
	scene.Sick("m1", time.Minute)
	scene.Sick("m2", time.Minute)
	facts := scene.Facts()
	other := explaintest.New()
	other.Sick("m1", time.Minute)
	for _, m := range other.Facts().Machines {
		m.Machine.Namespace = "elsewhere"
		facts.Machines = append(facts.Machines, m)
	}
	l := view.New(facts)
	want := map[string]string{"default/m1": "default", "elsewhere/m1": "elsewhere", "default/m2": ""}
	for _, m := range l.Machines {
		if link := m.Link; link.In != want[m.Namespace+"/"+m.Name] {
			t.Errorf("%s/%s is shown in %q", m.Namespace, m.Name, link.In)
		}
	}
	for _, one := range l.FleetPage().Next.Shown {
		if one.In != want[one.Namespace+"/"+one.Name] {
			t.Errorf("what happens to %s/%s is shown in %q", one.Namespace, one.Name, one.In)
		}
	}
}

// TestRepairsOnRecord: each repair of a machine has a title, also the open one.
func TestRepairsOnRecord(t *testing.T) {
	scene := explaintest.New()
	r := scene.Record(scene.Sick("m1", 41*time.Minute), explaintest.Metal()...)
	scene.Play(r, scene.Now.Add(-41*time.Minute), scene.Now)
	p, ok := view.New(scene.Facts()).MachinePage("default", "m1")
	if !ok || len(p.Records) != 1 || p.Records[0].Title != "Acting" || p.Records[0].Name != r.Name {
		t.Errorf("the repairs are %+v", p.Records)
	}
}

// TestHeadlines: the headline never reassures while something is wrong.
func TestHeadlines(t *testing.T) {
	unreadable := explaintest.Many(4, 0)
	unreadable.Clusters[0].Unreadable = "certificate expired"
	closed := explaintest.Many(4, 1)
	for want, facts := range map[string]*explain.Facts{
		"2 things for you to decide": explaintest.Eleven(),
		"1 cluster cannot be read":   unreadable,
		"3 sick machines held back":  closed,
		"There are no machines":      {},
		"All machines are healthy":   explaintest.Many(4, 0),
		"Nothing needs you now":      explaintest.Many(40, 20),
	} {
		if got := view.New(facts).FleetPage().Headline(); got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
}

// TestAlike: the same text about many machines is one item, and all of them are counted.
func TestAlike(t *testing.T) {
	p := view.New(explaintest.Many(480, 1)).FleetPage()
	said := 0
	for _, item := range p.Waiting.Shown {
		said += 1 + item.Others
	}
	if len(p.Waiting.Shown) != 3 || said+p.Waiting.More() != p.Waiting.Total || p.Waiting.More() != 0 {
		t.Errorf("%d lines say it of %d machines, %d more, of %d", len(p.Waiting.Shown), said, p.Waiting.More(), p.Waiting.Total)
	}
}

// TestBars: drawings fit, and nothing is too small to see.
func TestBars(t *testing.T) {
	for _, facts := range []*explain.Facts{explaintest.Eleven(), explaintest.Many(3000, 1500), explaintest.Many(100, 1)} {
		end := 0.0
		for _, part := range view.New(facts).FleetPage().Bar.Parts {
			x, w := number(t, part.X), number(t, part.W)
			if x < end-1 || w < 4 {
				t.Errorf("a part begins at %v and is %v wide, after %v", x, w, end)
			}
			end = x + w
		}
		if end < 999 || end > 1001 {
			t.Errorf("it ends at %v", end)
		}
	}
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestHeat counts each machine in one cell.
func TestHeat(t *testing.T) {
	for _, n := range []int{0, 11, 500, 1200} {
		p := view.New(explaintest.Many(n, 7)).ClustersPage(1)
		sum, bad := 0, 0
		for _, row := range p.Heat.Rows {
			for _, cell := range row.Cells {
				sum, bad = sum+cell.Total, bad+cell.Bad
				if (cell.Waffle != nil) == (cell.Bar != nil) {
					t.Errorf("a cell of %d is drawn in no way, or in two", cell.Total)
				}
			}
		}
		if sum != n || bad != (n+6)/7 {
			t.Errorf("%d machines, %d not healthy, of %d", sum, bad, n)
		}
	}
}

// TestHeatNames: clusters with the same name can be distinguished, and a machine that no health check selects is not
// called healthy.
func TestHeatNames(t *testing.T) {
	facts := explaintest.Merge(explaintest.In("blue", "metal"), explaintest.In("green", "metal"))
	for _, cluster := range []string{"blue", "green"} {
		facts.Machines = append(facts.Machines, &explain.Machine{Machine: build.Machine("default", cluster+"-1", build.InCluster(cluster))})
	}
	facts.Machines = append(facts.Machines, &explain.Machine{Machine: build.Machine("practice", "blue-1", build.InCluster("blue"))})
	facts.Clusters = append(facts.Clusters, explain.Cluster{Cluster: build.Cluster("practice", "blue")})
	alike := map[bool]int{}
	for _, row := range view.New(facts).ClustersPage(1).Heat.Rows {
		alike[row.Alike]++
		if cell := row.Cells[0]; cell.Bad != 0 || cell.Text != "1 not managed" {
			t.Errorf("of %s/%s it says %d not healthy, %q", row.Namespace, row.Name, cell.Bad, cell.Text)
		}
	}
	if page, ok := view.New(facts).ClusterPage("default", "green"); !ok || page.Machines.Total != 0 {
		t.Errorf("%d machines of it are called not healthy", page.Machines.Total)
	}
	if alike[true] != 2 || alike[false] != 1 {
		t.Errorf("%v clusters have the name of another, want 2 of 3", alike)
	}
}

// TestTimeline: the timeline has no gap and ends with what is due.
func TestTimeline(t *testing.T) {
	page, ok := view.New(explaintest.Eleven()).MachinePage("default", "metal-1")
	if !ok {
		t.Fatal("it has no page")
	}
	var got []string
	for _, span := range page.Timeline.Spans {
		got = append(got, span.Class+" "+span.Label+" "+span.Took)
	}
	want := []string{"t-waiting watch 5m 00s", "t-attempt reboot 1 of 2 20m 00s", "t-attempt reboot 2 of 2 16m 00s", "t-due reboot 2 of 2 times out; the request is withdrawn 4m 00s"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var rungs []string
	for _, rung := range page.Ladder {
		rungs = append(rungs, strings.ToLower(string(rung.State))+" "+rung.Name)
	}
	if diff := cmp.Diff([]string{"done watch", "now reboot", "ahead replace", "ahead hold"}, rungs); diff != "" {
		t.Errorf("the ladder (-want +got):\n%s", diff)
	}
}

// TestGone: a machine that is gone has a page, made from its records.
func TestGone(t *testing.T) {
	look := view.New(explaintest.Past(explaintest.Eleven(), 20))
	page, ok := look.MachinePage("default", "gone-1")
	if !ok || page.State != explain.StateGone || page.Timeline == nil {
		t.Errorf("it is %v, %s", ok, page.State)
	}
	elsewhere := explaintest.Past(explaintest.Eleven(), 20)
	for _, r := range elsewhere.Records {
		if r.Record.Spec.MachineRef.Name == "gone-1" {
			r.Record.Namespace, r.Record.Spec.MachineRef.Name = "other", "metal-5"
		}
	}
	if page, ok := view.New(elsewhere).MachinePage("other", "metal-5"); !ok || page.State != explain.StateGone {
		t.Errorf("one that is gone, and lives elsewhere: %v, %s", ok, page.State)
	}
	if _, ok := look.MachinePage("default", "never-was"); ok {
		t.Error("a machine that never was has a page")
	}
	if _, ok := look.MachinePage("elsewhere", "metal-1"); ok {
		t.Error("a machine has a page in another namespace")
	}
}

// TestVersion: the version changes exactly when a page would say something else.
func TestVersion(t *testing.T) {
	version := func(change func(*explain.Facts)) string {
		facts := explaintest.Eleven()
		change(facts)
		return view.New(facts).Version
	}
	is := version(func(*explain.Facts) {})
	if later := version(func(f *explain.Facts) { f.Now = f.Now.Add(time.Second) }); later != is {
		t.Error("a second alone makes another version")
	}
	for what, change := range map[string]func(*explain.Facts){
		"a machine":  func(f *explain.Facts) { f.Machines[0].Machine.ResourceVersion = "2" },
		"a record":   func(f *explain.Facts) { f.Records[0].Record.ResourceVersion = "2" },
		"a cluster":  func(f *explain.Facts) { f.Clusters[0].Unreadable = "no" },
		"the leader": func(f *explain.Facts) { f.Manager.Name = "sickbay-1" },
		"the time":   func(f *explain.Facts) { f.Now = f.Now.Add(time.Hour) },
	} {
		if version(change) == is {
			t.Errorf("%s changes, and the version does not", what)
		}
	}
}
