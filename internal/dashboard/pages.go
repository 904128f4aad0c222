package dashboard

import (
	"context"
	"net/http"
	"time"

	"k8s.io/utils/clock"

	"github.com/sickbay-dev/sickbay/internal/dashboard/view"
)

// page is a page that needs a look at the fleet.
type page struct {
	path, template, section, title string
	// of returns the data of the page.
	of func(l *view.Look, r *http.Request) any
}

func (d *Dashboard) lists() []page {
	return []page{
		{"/{$}", "fleet", "fleet", "Fleet", func(l *view.Look, _ *http.Request) any { return l.FleetPage() }},
		{"/next", "next", "fleet", "What happens next", func(l *view.Look, r *http.Request) any { return l.NextPage(pageOf(r.URL.Query())) }},
		{"/clusters", "clusters", "clusters", "Clusters", func(l *view.Look, r *http.Request) any { return l.ClustersPage(pageOf(r.URL.Query())) }},
		{"/checks", "checks", "checks", "Health checks", func(l *view.Look, r *http.Request) any { return l.ChecksPage(pageOf(r.URL.Query())) }},
		{"/machines", "machines", "machines", "Machines", func(l *view.Look, r *http.Request) any { return l.MachinesPage(machinesQuery(r.URL.Query())) }},
		{"/history", "history", "history", "History", func(l *view.Look, r *http.Request) any { return l.HistoryPage(historyQuery(r.URL.Query())) }},
		{"/simulate", "simulate", "simulate", "Simulate", d.simulate},
	}
}

const (
	// playTime is how long a simulation for a page may run: a manager has other work to do.
	playTime = 5 * time.Second
	// mostOwners is how many owners of machines a simulation reads for a page.
	mostOwners = 200
)

// simulate plays the fleet, for one page at a time, and only while the client waits.
func (d *Dashboard) simulate(l *view.Look, r *http.Request) any {
	q := simulateQuery(r.URL.Query())
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	select {
	case d.playing <- struct{}{}:
	case <-ctx.Done():
		p := l.SimulateForm(q)
		p.Problem = "another simulation is running: try again"
		return p
	}
	defer func() { <-d.playing }()
	end := clock.RealClock{}.Now().Add(playTime)
	return l.SimulatePage(q, view.Playing{
		Policy: d.options.Policy, Owners: d.options.Fleet.Owners(ctx, mostOwners),
		Stop: func() bool { return ctx.Err() != nil || clock.RealClock{}.Now().After(end) },
	})
}

// objects are the pages about a single object.
var objects = []struct {
	section string
	of      func(l *view.Look, namespace, name string) (view.ObjectPage, bool)
}{
	{"machines", (*view.Look).MachinePage},
	{"checks", (*view.Look).CheckPage},
	{"clusters", (*view.Look).ClusterPage},
	{"records", (*view.Look).RecordPage},
}

func (d *Dashboard) routes(mux *http.ServeMux) {
	for _, one := range d.lists() {
		mux.HandleFunc("GET "+one.path, func(w http.ResponseWriter, r *http.Request) {
			d.show(w, r, one.section, func(l *view.Look, f *frame) string {
				f.Title, f.Main = one.title, one.of(l, r)
				return one.template
			})
		})
	}
	for _, one := range objects {
		mux.HandleFunc("GET /"+one.section+"/{namespace}/{name}", func(w http.ResponseWriter, r *http.Request) {
			d.show(w, r, one.section, func(l *view.Look, f *frame) string {
				main, ok := one.of(l, r.PathValue("namespace"), r.PathValue("name"))
				f.Title, f.Main = r.PathValue("name"), main
				if !ok {
					return "missing"
				}
				return "object"
			})
		})
	}
	mux.HandleFunc("GET "+eventsPath, d.events)
	mux.HandleFunc("GET "+assetsPath+"{name}", serveAsset)
	if d.options.Actions != nil {
		mux.Handle("POST /act/{verb}", d.acts())
	}
	mux.HandleFunc("GET /", d.notFound)
}

// show renders a page from the current look; fill completes the frame and returns the name of the template.
func (d *Dashboard) show(w http.ResponseWriter, r *http.Request, section string, fill func(*view.Look, *frame) string) {
	s := d.observer.get(r.Context())
	f := d.frameOf(s, section, "Sickbay")
	f.Finds = r.URL.Path == "/machines"
	if s.look == nil {
		// Reloading works without JavaScript.
		w.Header().Set("Refresh", "2")
		f.Title = "No data yet"
		d.render(w, r, http.StatusServiceUnavailable, "unread", f)
		return
	}
	status := http.StatusOK
	name := fill(s.look, &f)
	if name == "missing" {
		status = http.StatusNotFound
	}
	d.render(w, r, status, name, f)
}

func (d *Dashboard) notFound(w http.ResponseWriter, r *http.Request) {
	d.render(w, r, http.StatusNotFound, "missing", d.frameOf(d.observer.current(), "", "There is no such page"))
}
