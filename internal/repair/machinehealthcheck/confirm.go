package machinehealthcheck

import (
	"cmp"
	"context"
	"slices"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/api/equality"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
)

// confirm reads the MachineHealthCheck and its plan past the cache, since they determine what a record will do. It reports whether
// the decision still holds; if not, an event is on its way. It does not read the Cluster: whatever stops an admitted repair is read
// just before each act.
func (r *Reader) confirm(ctx context.Context, f admission.Facts) (bool, error) {
	mhc, samePlan := &clusterv1.MachineHealthCheck{}, false
	var reads errgroup.Group
	reads.SetLimit(cmp.Or(r.Parallel, parallel))
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
func (r *Reader) sameHealthCheck(mhc *clusterv1.MachineHealthCheck, f admission.Facts) bool {
	return mhc.UID == f.MachineHealthCheck.UID && mhc.Generation == f.MachineHealthCheck.Generation &&
		mhc.DeletionTimestamp.IsZero() && r.Policy.Manages(mhc) && sameConfig(mhc, f)
}

// mayGoOn reports whether the MachineHealthCheck has not been paused or put on hold since the decision.
func (r *Reader) mayGoOn(mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster) bool {
	hold, _ := mhcspec.OnHold(r.Clock.Now(), mhc)
	return len(mhcspec.Paused(mhc, cluster)) == 0 && hold == ""
}

// sameConfig compares the settings in annotations, which do not change the generation.
func sameConfig(mhc *clusterv1.MachineHealthCheck, f admission.Facts) bool {
	configA, problemsA := mhcspec.ParseConfig(mhc, f.Template.Plan)
	configB, problemsB := mhcspec.ParseConfig(f.MachineHealthCheck, f.Template.Plan)
	return equality.Semantic.DeepEqual(configA, configB) && slices.Equal(problemsA, problemsB) &&
		mhc.Annotations[mhcspec.SignalsAnnotation] == f.MachineHealthCheck.Annotations[mhcspec.SignalsAnnotation]
}
