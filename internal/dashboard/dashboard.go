package dashboard

import (
	"context"
	"errors"
	"html/template"
	"net/http"

	"k8s.io/utils/clock"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// Fleet is read by a fleet.Observer.
type Fleet interface {
	Look(ctx context.Context, namespace string) (explain.Facts, error)
}

// Options say what a dashboard shows.
type Options struct {
	Fleet Fleet
	// Namespace is the one to look at; empty means all.
	Namespace string
	// Policy says which MachineHealthChecks are taken care of. Simulations go by it.
	Policy mhcspec.Policy
	Clock  clock.PassiveClock
	// Actions are nil if the pages only show.
	Actions Actions
	// Viewer names the person who asks; nil if that is not known.
	Viewer func(*http.Request) string
}

// Dashboard serves the pages. Its methods may be called at once.
type Dashboard struct {
	options Options
	looker  *looker
	pages   map[string]*template.Template
	// playing has an entry while somebody has the fleet played.
	playing chan struct{}
}

// New makes a dashboard. It shows something only while it runs.
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
	return &Dashboard{options: o, looker: newLooker(o.Fleet, o.Namespace, o.Clock), pages: pages, playing: make(chan struct{}, 1)}, nil
}

// Run looks at the fleet until ctx ends: at most once a second, and only while somebody watches or asks.
func (d *Dashboard) Run(ctx context.Context) error {
	d.looker.run(ctx)
	return nil
}

// Refresh waits until the pages show the fleet as it is now, or until ctx ends.
func (d *Dashboard) Refresh(ctx context.Context) { d.looker.refresh(ctx) }

// Handler serves the pages.
func (d *Dashboard) Handler() http.Handler {
	mux := http.NewServeMux()
	d.routes(mux)
	return secured(mux)
}
