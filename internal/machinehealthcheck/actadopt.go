package machinehealthcheck

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/machinehealthcheck/admission"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
)

// FieldOwner is the field manager of our writes to MachineHealthChecks.
const FieldOwner = "sickbay-machinehealthcheck"

// metadataFieldOwner is the field manager of the label and the owner reference that we ensure.
const metadataFieldOwner = "sickbay-machinehealthcheck-metadata"

// adopt ensures that a MachineHealthCheck has the label of its Cluster and is owned by it, as Cluster API's webhook and controller
// would.
func (r *Reconciler) adopt(ctx context.Context, f admission.Facts, d admission.Decision) error {
	mhc, cluster := f.MachineHealthCheck, f.Cluster
	owned := slices.ContainsFunc(mhc.OwnerReferences, func(ref metav1.OwnerReference) bool { return ref.UID == cluster.UID })
	if len(d.Paused) > 0 || d.Config.DryRun || (owned && mhc.Labels[clusterv1.ClusterNameLabel] == cluster.Name) {
		return nil
	}
	err := ownwrites.Apply(ctx, r.Client, metadataFieldOwner, mhc, map[string]any{"metadata": map[string]any{
		"uid":    string(mhc.UID),
		"labels": map[string]any{clusterv1.ClusterNameLabel: cluster.Name},
		"ownerReferences": []any{map[string]any{
			"apiVersion": clusterv1.GroupVersion.String(), "kind": "Cluster", "name": cluster.Name, "uid": string(cluster.UID),
		}},
	}})
	// With ForceOwnership, the only possible conflict is that the object with this UID is gone; then there is nothing left to do.
	if apierrors.IsConflict(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("making MachineHealthCheck %s owned by its Cluster: %w", client.ObjectKeyFromObject(mhc), err)
	}
	r.expectations.Expect(mhc)
	return nil
}
