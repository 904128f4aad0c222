package dashboard

import (
	"context"
	"errors"
	"html/template"
	"net/http"

	"k8s.io/utils/clock"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/silence"
)

// Fleet reads the fleet; a fleet.Observer implements it.
type Fleet interface {
	Look(ctx context.Context, namespace string) (explain.Facts, error)
	// Owners returns a function that reads the owners of machines, at most so many.
	Owners(ctx context.Context, most int) func(*clusterv1.Machine, *clusterv1.Cluster) (silence.Facts, error)
}

// Options are the options of a dashboard.
type Options struct {
	Fleet Fleet
	// Namespace is the namespace to look at; empty means all.
	Namespace string
	// Policy says which MachineHealthChecks this Sickbay manages. Simulations need it.
	Policy mhcspec.Policy
	Clock  clock.PassiveClock
	// Actions is nil if the pages only show.
	Actions Actions
	// Viewer returns the name of the person who sent a request; nil if names are unknown.
	Viewer func(*http.Request) string
}

// Dashboard serves the pages. Its methods are safe for concurrent use.
type Dashboard struct {
	options  Options
	observer *observer
	pages    map[string]*template.Template
	// playing has an entry while a simulation runs.
	playing chan struct{}
}

// New returns a dashboard. It shows data only while Run runs.
func New(o Options) (*Dashboard, error) {
	if o.Fleet == nil {
		return nil, errors.New("a dashboard needs a fleet to look at")
	}
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	pages, err := parse()
	if err != nil {
		return nil, err
	}
	return &Dashboard{options: o, observer: newObserver(o.Fleet, o.Namespace, o.Clock), pages: pages, playing: make(chan struct{}, 1)}, nil
}

// Run looks at the fleet until ctx ends: at most once a second, and only while somebody watches or requests a page.
func (d *Dashboard) Run(ctx context.Context) error {
	d.observer.run(ctx)
	return nil
}

// Handler serves the pages.
func (d *Dashboard) Handler() http.Handler {
	mux := http.NewServeMux()
	d.routes(mux)
	return secured(mux)
}
