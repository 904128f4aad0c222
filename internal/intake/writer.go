package intake

import (
	"context"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/intake/ask"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
)

// writer carries out decisions.
type writer struct {
	client.Client
	reads       reader
	watchFilter string
}

// writes returns what writes for this Reconciler.
func (r *Reconciler) writes() writer { return writer{r.Client, r.reads(), r.WatchFilter} }

// do carries out a decision: one write. The API server refuses it if the object has changed since it was read.
func (w writer) do(ctx context.Context, v observation, d ask.Decision, now time.Time) error {
	switch d.Act {
	case ask.Make:
		return w.makeRecord(ctx, v, d)
	case ask.Answer:
		return remedy.Answer(ctx, w.Client, v.machine, d.Key, d.Operation)
	case ask.Sweep:
		return remedy.RemoveSignOf(ctx, w.Client, v.machine, d.Key, d.Operation)
	case ask.Tell:
		return w.tell(ctx, d, now)
	case ask.Note:
		return w.note(ctx, v.machine, d)
	case ask.Settle:
		return w.annotate(ctx, v.machine, map[string]any{ask.External: nil, rebootannotation.Outcome: nil})
	case ask.Nothing, ask.Refuse:
	}
	return nil
}
