package machinehealthcheck

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
)

const (
	// lookAgain is how long to wait before looking again at a MachineHealthCheck that changed after the decision. An event is on its way; this is the
	// fallback.
	lookAgain = 15 * time.Second
	// parallel is how many requests are made at once. Each costs a round trip; a storm of a thousand sick Machines must not wait
	// for them in turn.
	parallel = 16
	// batchSize is of how many machines the records are read with one request.
	batchSize = 100
)

// act admits machines by the decision. It returns the facts and the decision after that, and when to look again even without an
// event; zero means never.
func (r *Reconciler) act(ctx context.Context, f admission.Facts, d admission.Decision) (admission.Facts, admission.Decision, time.Duration, error) {
	f, d = r.grantAsked(ctx, f, d)
	if d.Config.OnlyReports() || len(d.Admit) == 0 {
		return f, d, r.unseenWait(f, d), nil
	}
	ok, err := r.confirm(ctx, f)
	if err != nil {
		return f, d, 0, fmt.Errorf("reading the MachineHealthCheck once more: %w", err)
	}
	if !ok {
		return f, d, lookAgain, nil
	}
	written := r.admit(ctx, f, d)
	if len(written) > 0 {
		// The repair goes first: storing the status now would slow down the reads and the write that begin it.
		r.memory.Yield(client.ObjectKeyFromObject(f.MachineHealthCheck), r.Clock.Now())
	}
	r.observeFailures(&f)
	replace(&f, written)
	d = admission.Decide(f, r.Clock.Now())
	return f, d, r.unseenWait(f, d), nil
}

// grantAsked grants slots to what annotations ask for.
func (r *Reconciler) grantAsked(ctx context.Context, f admission.Facts, d admission.Decision) (admission.Facts, admission.Decision) {
	if len(d.Asked) == 0 {
		return f, d
	}
	asked := d
	asked.Admit, asked.Next = d.Asked, nil
	written := r.admit(ctx, f, asked)
	r.observeFailures(&f)
	replace(&f, written)
	return f, admission.Decide(f, r.Clock.Now())
}

// admit admits machines, and returns their records as they are now, by name. If one fails, the next takes its place: otherwise a
// single machine could block all others for ever.
func (r *Reconciler) admit(ctx context.Context, f admission.Facts, d admission.Decision) map[string]*v1alpha1.MachineRemediation {
	written := map[string]*v1alpha1.MachineRemediation{}
	due, next := d.Admit, d.Next
	for len(due) > 0 {
		places := 0
		for i, o := range r.admitAll(ctx, f, d, r.starting(ctx, f, d, due)) {
			if o.record != nil {
				written[o.record.Name] = o.record
			}
			if o.free && due[i].Grant > 0 && due[i].Stray == "" {
				places++
			}
		}
		n := min(places, len(next))
		due, next = next[:n], next[n:]
	}
	return written
}

// outcome is the result of one admission.
type outcome struct {
	// record is the record as written; nil if it was not.
	record *v1alpha1.MachineRemediation
	// free reports that it certainly takes no slot. A slot that was reserved for it goes to the next.
	free bool
}

// admitAll admits some machines, a few at a time, in the given order.
func (r *Reconciler) admitAll(ctx context.Context, f admission.Facts, d admission.Decision, due []admission.Admission) []outcome {
	var admissions errgroup.Group
	admissions.SetLimit(cmp.Or(r.Parallel, parallel))
	outcomes := make([]outcome, len(due))
	for i := 0; i < len(due); i += batchSize {
		batch := due[i:min(i+batchSize, len(due))]
		live := r.liveRecordsOf(ctx, f, batch)
		for j, one := range batch {
			admissions.Go(func() error {
				outcomes[i+j] = r.admitOne(ctx, f, d, one, live)
				return nil
			})
		}
	}
	_ = admissions.Wait() // each outcome has its own error
	return outcomes
}
