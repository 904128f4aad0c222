package machinehealthcheck

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
)

// ownAgain is how long not to try to set the owner of a MachineHealthCheck after the API server has refused that.
const ownAgain = 10 * time.Minute

// ensureOwner ensures that a MachineHealthCheck has the label of its Cluster and is owned by it, as Cluster API's webhook and controller
// would. An API server with the admission plugin OwnerReferencesPermissionEnforcement, as OpenShift's, lets only those change owners who may
// delete the object. Sickbay may not, so it says so once, and does without the owner.
func (r *Reconciler) ensureOwner(ctx context.Context, f admission.Facts, d admission.Decision) error {
	mhc, cluster := f.MachineHealthCheck, f.Cluster
	key := client.ObjectKeyFromObject(mhc)
	owned := slices.ContainsFunc(mhc.OwnerReferences, func(ref metav1.OwnerReference) bool { return ref.UID == cluster.UID })
	owns := owned || r.Clock.Since(r.memory.Get(key).ownerRefused) >= ownAgain
	if len(d.Paused) > 0 || d.Config.DryRun || (owned || !owns) && mhc.Labels[clusterv1.ClusterNameLabel] == cluster.Name {
		return nil
	}
	err := r.writes().metadata(ctx, mhc, cluster, owns)
	if apierrors.IsForbidden(err) && !owned && owns {
		r.reportOwnerRefused(ctx, mhc, err)
		err = r.writes().metadata(ctx, mhc, cluster, false)
	}
	// With ForceOwnership, the only possible conflict is that the object with this UID is gone; then there is nothing left to do.
	if apierrors.IsConflict(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("making MachineHealthCheck %s owned by its Cluster: %w", key, err)
	}
	r.memory.Expect(mhc)
	return nil
}

// reportOwnerRefused reports once that the API server does not let Sickbay set the owner of a MachineHealthCheck.
func (r *Reconciler) reportOwnerRefused(ctx context.Context, mhc *clusterv1.MachineHealthCheck, err error) {
	key := client.ObjectKeyFromObject(mhc)
	if r.memory.Get(key).ownerRefused.IsZero() {
		ctrl.LoggerFrom(ctx).Info("The API server refuses to make the MachineHealthCheck owned by its Cluster", "err", err)
		r.event(mhc, nil, corev1.EventTypeWarning, EventOwnerRefused, "Sickbay may not make its Cluster the owner: "+ownwrites.Cause(err))
	}
	r.memory.Update(key, func(m *remembered) { m.ownerRefused = r.Clock.Now() })
}

// handBack removes what Sickbay wrote on a MachineHealthCheck, if Sickbay drains: status, label and owner reference. What others wrote, too, stays.
func (r *Reconciler) handBack(ctx context.Context, mhc *clusterv1.MachineHealthCheck) error {
	if mhc == nil || !mhc.DeletionTimestamp.IsZero() || !r.Policy.Drains(mhc) {
		return nil
	}
	err := r.writes().handBack(ctx, mhc)
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil // It is gone.
	}
	if err != nil {
		return fmt.Errorf("handing MachineHealthCheck %s back: %w", client.ObjectKeyFromObject(mhc), err)
	}
	return nil
}
