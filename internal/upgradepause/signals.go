package upgradepause

import (
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// Signal reads which upgrades go on.
type Signal interface {
	// Read returns the upgrades that concern a MachineHealthCheck, one Reading for each subject.
	Read(ctx context.Context, check *metav1.PartialObjectMetadata) []pause.Reading
}

// Readiness reads which machines are not back after an upgrade.
type Readiness interface {
	// NotReady returns the names of a MachineHealthCheck's machines without a Ready Node, sorted. The error is pause.ErrStarting
	// if they may be known in a moment.
	NotReady(ctx context.Context, check *metav1.PartialObjectMetadata) ([]string, error)
}

// observe reads all signals for one MachineHealthCheck.
func (r *Reconciler) observe(ctx context.Context, check *metav1.PartialObjectMetadata) pause.Facts {
	facts := pause.Facts{Annotations: check.Annotations, WarnAfter: r.WarnAfter, Restarts: r.Kind == ClusterAPIKind, Drains: r.Drain}
	if r.Drain {
		return facts
	}
	for _, signal := range r.Signals {
		for _, reading := range signal.Read(ctx, check) {
			facts.Add(reading)
			if !errors.Is(reading.Err, pause.ErrStarting) {
				r.announceSignal(ctx, reading)
			}
		}
	}
	facts.Settle = r.settling(ctx, check, facts)
	return facts
}

// settling reads which machines must become Ready, if the pause waits for that now.
func (r *Reconciler) settling(ctx context.Context, check *metav1.PartialObjectMetadata, facts pause.Facts) pause.Settle {
	if r.SettleTimeout <= 0 || r.Readiness == nil || (r.Ours != nil && r.Ours(check)) {
		return pause.Settle{}
	}
	settle := pause.Settle{Within: r.SettleTimeout}
	if !facts.Over() {
		return settle
	}
	names, err := r.Readiness.NotReady(ctx, check)
	switch {
	case errors.Is(err, pause.ErrStarting):
		settle.Starting = true
	case err != nil:
		settle.Unknown = err.Error()
	}
	settle.NotReady = names
	return settle
}
