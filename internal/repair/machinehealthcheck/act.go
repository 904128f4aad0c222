package machinehealthcheck

import (
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/api/equality"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
)

const (
	// lookAgain is how long to wait before looking again at a MachineHealthCheck that changed after the decision. An event is on its way; this is the
	// fallback.
	lookAgain = 15 * time.Second
	// parallel is how many requests are made at once. Each costs a round trip; a storm of a thousand sick Machines must not wait
	// for them in turn.
	parallel = 16
)

// act admits machines by the decision. It returns the facts and the decision after that, and when to look again even without an
// event; zero means never.
func (r *Reconciler) act(ctx context.Context, f admission.Facts, d admission.Decision) (admission.Facts, admission.Decision, time.Duration, error) {
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
		r.statuses.Yield(client.ObjectKeyFromObject(f.MachineHealthCheck), r.Clock.Now())
	}
	r.observeFailures(&f)
	replace(&f, written)
	d = admission.Decide(f, r.Clock.Now())
	return f, d, r.unseenWait(f, d), nil
}

// unseenWait returns how long to wait before looking again at admissions that the cache does not show yet: not long if somebody
// waits for that, else until the API server should be asked. It returns zero if the cache shows everything.
func (r *Reconciler) unseenWait(f admission.Facts, d admission.Decision) time.Duration {
	key := client.ObjectKeyFromObject(f.MachineHealthCheck)
	if f.Unseen && slices.ContainsFunc(d.Waiting, func(w admission.Waiting) bool { return w.Reason == admission.ReasonExpected }) {
		return r.cacheBehind.Next(key)
	}
	r.cacheBehind.Reset(key)
	if f.Unseen {
		return unseenFor
	}
	return 0
}

// confirm reads the MachineHealthCheck and its plan past the cache, since they determine what a record will do. It reports whether
// the decision still holds; if not, an event is on its way. It does not read the Cluster: whatever stops an admitted repair is read
// just before each act.
func (r *Reconciler) confirm(ctx context.Context, f admission.Facts) (bool, error) {
	mhc, samePlan := &clusterv1.MachineHealthCheck{}, false
	var reads errgroup.Group
	reads.SetLimit(r.parallelism())
	reads.Go(func() error { return r.Live.Get(ctx, client.ObjectKeyFromObject(f.MachineHealthCheck), mhc) })
	reads.Go(func() (err error) {
		samePlan, err = r.samePlan(ctx, f)
		return err
	})
	if err := reads.Wait(); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	return samePlan && r.sameHealthCheck(mhc, f) && r.mayGoOn(mhc, f.Cluster), nil
}

// sameHealthCheck reports whether the settings of a MachineHealthCheck are those that were decided on.
func (r *Reconciler) sameHealthCheck(mhc *clusterv1.MachineHealthCheck, f admission.Facts) bool {
	return mhc.UID == f.MachineHealthCheck.UID && mhc.Generation == f.MachineHealthCheck.Generation &&
		mhc.DeletionTimestamp.IsZero() && r.Policy.Manages(mhc) && sameConfig(mhc, f)
}

// mayGoOn reports whether the MachineHealthCheck has not been paused or put on hold since the decision.
func (r *Reconciler) mayGoOn(mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster) bool {
	hold, _ := mhcspec.OnHold(r.Clock.Now(), mhc)
	return len(mhcspec.Paused(mhc, cluster)) == 0 && hold == ""
}

// sameConfig compares the settings in annotations, which do not change the generation.
func sameConfig(mhc *clusterv1.MachineHealthCheck, f admission.Facts) bool {
	configA, problemsA := mhcspec.ParseConfig(mhc, f.Template.Plan)
	configB, problemsB := mhcspec.ParseConfig(f.MachineHealthCheck, f.Template.Plan)
	return equality.Semantic.DeepEqual(configA, configB) && slices.Equal(problemsA, problemsB)
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

// parallelism returns how many requests to make at once.
func (r *Reconciler) parallelism() int {
	if r.Parallel > 0 {
		return r.Parallel
	}
	return parallel
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
	admissions.SetLimit(r.parallelism())
	outcomes := make([]outcome, len(due))
	for i := range due {
		admissions.Go(func() error {
			outcomes[i] = r.admitOne(ctx, f, d, due[i])
			return nil
		})
	}
	_ = admissions.Wait() // each outcome has its own error
	return outcomes
}
