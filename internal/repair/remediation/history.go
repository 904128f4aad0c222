package remediation

import (
	"context"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/controllerstate"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/repair/retention"
)

const (
	// passMost limits the deletions of one pass.
	passMost = 100
	// keptRecheck is when to look again at a record that is kept although its retention time is over.
	keptRecheck = 24 * time.Hour
)

// keepHistory deletes expired records of the same history, when the record has just ended and when its retention time is over.
func (r *Reconciler) keepHistory(ctx context.Context, record *v1alpha1.MachineRemediation, ended bool) (time.Duration, error) {
	if !record.DeletionTimestamp.IsZero() {
		return 0, nil
	}
	now, window := r.Clock.Now(), r.windows()
	of, err := window(ctx, record)
	if err != nil {
		return 0, err
	}
	dueIn := r.History.OrDefault().DueAt(retention.Record{Ended: record.Status.CompletionTime.Time, Window: of}).Sub(now)
	cluster := clusterKey(record)
	run, wait := r.passes.ask(cluster, ended || dueIn <= 0, now)
	if run {
		left, err := r.pass(ctx, cluster, window)
		if err != nil {
			r.passes.Set(cluster, now)
			return 0, err
		}
		if left {
			_, wait = r.passes.ask(cluster, true, now)
		}
	}
	switch {
	case wait > 0:
		return wait, nil
	case dueIn <= 0:
		return keptRecheck, nil
	}
	return dueIn, nil
}

// pass deletes the expired records of a cluster's history. It reports whether there are more.
func (r *Reconciler) pass(ctx context.Context, cluster client.ObjectKey, window windowOf) (left bool, err error) {
	all, err := recordstore.OfCluster(ctx, r.Cache, cluster)
	if err != nil {
		return false, err
	}
	due, err := r.due(ctx, cluster, all, window)
	if err != nil {
		return false, err
	}
	most := min(len(due), passMost)
	for _, record := range due[:most] {
		if err := r.writes().delete(ctx, record); err != nil {
			return false, err
		}
	}
	if most > 0 {
		ctrl.LoggerFrom(ctx).Info("Deleted MachineRemediations that need not be kept", "cluster", cluster, "number", most)
	}
	return len(due) > most, nil
}

// passPause is the delay before a pass over the history of a cluster, so that records that end together share one pass.
const passPause = time.Minute

// passes remembers when the next pass over the history of a cluster is due. It only delays.
type passes struct {
	controllerstate.Memory[time.Time]
}

// ask reports whether a pass is due now. If one is wanted and none is planned, it plans one and returns its delay.
func (p *passes) ask(cluster client.ObjectKey, wanted bool, now time.Time) (run bool, wait time.Duration) {
	p.Update(cluster, func(at *time.Time) {
		switch planned := !at.IsZero(); {
		case planned && !now.Before(*at):
			run, *at = true, time.Time{}
		case !planned && wanted:
			wait, *at = passPause, now.Add(passPause)
		}
	})
	return run, wait
}
