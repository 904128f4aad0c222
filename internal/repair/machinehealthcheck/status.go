package machinehealthcheck

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
)

// A status names all Machines, and storing that of 10,000 takes the API server a tenth of a second. In a storm the numbers change
// with every verdict, and nobody is admitted while it is written. So updates that change only counts are limited in proportion to
// their cost: one a second with 10,000 Machines, ten a second with 1,000, no limit with a few. They also wait that long after an
// admission, so that its repair begins first.
const (
	intervalPerTarget = time.Second / 10_000
	shortestInterval  = 10 * time.Millisecond
)

// statusIntervalFor is the minimum time between updates that change only counts.
func statusIntervalFor(machines int) time.Duration {
	if pause := time.Duration(machines) * intervalPerTarget; pause >= shortestInterval {
		return pause
	}
	return 0
}

// storeStatus stores the status and announces what changed. Later is how long to wait if only numbers differ.
func (r *Reconciler) storeStatus(ctx context.Context, f admission.Facts, d admission.Decision) (later time.Duration, err error) {
	mhc, now := f.MachineHealthCheck, r.Clock.Now()
	key := client.ObjectKeyFromObject(mhc)
	desired := admission.Status(f, d, metav1.NewTime(now.Truncate(time.Second)))
	r.measure(f, d, desired, now)
	if sameStatus(mhc, desired) {
		return 0, nil
	}
	if later = r.memory.Paused(key, statusIntervalFor(len(f.Targets)), now); later > 0 && !admission.Urgent(mhc, desired) {
		return later, nil
	}
	err = r.apply(ctx, mhc, desired, now)
	if apierrors.IsConflict(err) {
		// It is gone, and another may have its name already; or others write to it all the time.
		return conflictRetry, nil
	}
	return 0, err
}

// conflictRetry is how long to wait after a status was not written because the MachineHealthCheck had changed.
const conflictRetry = time.Second

// storeClusterNotFound stores that nothing is remediated, unless the MachineHealthCheck is to be left alone.
func (r *Reconciler) storeClusterNotFound(ctx context.Context, mhc *clusterv1.MachineHealthCheck) error {
	if len(mhcspec.Paused(mhc, &clusterv1.Cluster{})) > 0 {
		return nil
	}
	now := r.Clock.Now()
	desired := admission.ClusterNotFoundStatus(mhc, metav1.NewTime(now.Truncate(time.Second)))
	r.measureClusterNotFound(mhc, desired, now)
	if sameStatus(mhc, desired) {
		return nil
	}
	return r.apply(ctx, mhc, desired, now)
}

// apply writes a status, and announces what changed.
func (r *Reconciler) apply(ctx context.Context, mhc *clusterv1.MachineHealthCheck, desired clusterv1.MachineHealthCheckStatus, now time.Time) error {
	err := r.writes().status(ctx, mhc, desired)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("writing the status of MachineHealthCheck %s: %w", client.ObjectKeyFromObject(mhc), err)
	}
	r.memory.BeginPause(client.ObjectKeyFromObject(mhc), now)
	r.memory.Expect(mhc)
	r.announce(ctx, mhc, desired)
	return nil
}

// sameStatus reports whether the status of mhc is as desired, regardless of the order of conditions and of those that others write.
func sameStatus(mhc *clusterv1.MachineHealthCheck, desired clusterv1.MachineHealthCheckStatus) bool {
	stored, n := mhc.Status, 0
	for _, c := range stored.Conditions {
		if admission.Ours(mhc, c.Type) {
			n++
		}
	}
	if n != len(desired.Conditions) {
		return false
	}
	for i := range desired.Conditions {
		c := meta.FindStatusCondition(stored.Conditions, desired.Conditions[i].Type)
		if c == nil || !sameCondition(*c, desired.Conditions[i]) {
			return false
		}
	}
	stored.Conditions, desired.Conditions = nil, nil
	stored.Deprecated, desired.Deprecated = nil, nil
	return equality.Semantic.DeepEqual(stored, desired)
}

func sameCondition(a, b metav1.Condition) bool {
	return a.Status == b.Status && a.Reason == b.Reason && a.Message == b.Message && a.ObservedGeneration == b.ObservedGeneration
}
