package intake

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// reader reads what a decision depends on. Nothing that it holds can write.
type reader struct {
	// kind is the kind of the Machines.
	kind schema.GroupVersionKind
	// cached is fast; live knows whether an object that cached lacks is gone or just not there yet.
	cached, live client.Reader
	clock        clock.PassiveClock
	external     bool
	watchFilter  string
	drains       bool
}

// reads returns what reads for this Reconciler.
func (r *Reconciler) reads() reader {
	return reader{kind: r.Kind, cached: r.Client, live: r.Live, clock: r.Clock, external: r.External, watchFilter: r.WatchFilter, drains: r.Drain}
}
