package machinehealthcheck

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/machinehealthcheck/admission"
)

// FieldOwner owns what we write on MachineHealthChecks.
const FieldOwner = "sickbay-machinehealthcheck"

// metadataFieldOwner owns the label and the owner reference that we ensure.
const metadataFieldOwner = "sickbay-machinehealthcheck-metadata"

// adopt ensures that a MachineHealthCheck has the label of its Cluster and is owned
// by it, as Cluster API's webhook and controller would.
func (r *Reconciler) adopt(ctx context.Context, f admission.Facts, d admission.Decision) error {
	mhc, cluster := f.MachineHealthCheck, f.Cluster
	owned := slices.ContainsFunc(mhc.OwnerReferences, func(ref metav1.OwnerReference) bool { return ref.UID == cluster.UID })
	if len(d.Paused) > 0 || d.Config.DryRun || (owned && mhc.Labels[clusterv1.ClusterNameLabel] == cluster.Name) {
		return nil
	}
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(clusterv1.GroupVersion.WithKind("MachineHealthCheck"))
	u.SetNamespace(mhc.Namespace)
	u.SetName(mhc.Name)
	u.SetUID(mhc.UID)
	u.SetLabels(map[string]string{clusterv1.ClusterNameLabel: cluster.Name})
	u.SetOwnerReferences([]metav1.OwnerReference{{
		APIVersion: clusterv1.GroupVersion.String(), Kind: "Cluster", Name: cluster.Name, UID: cluster.UID,
	}})
	err := r.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(metadataFieldOwner), client.ForceOwnership)
	// The only conflict that is left with ForceOwnership is that the object with
	// this UID is gone, and then there is nothing to do any more.
	if apierrors.IsConflict(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("making MachineHealthCheck %s owned by its Cluster: %w", client.ObjectKeyFromObject(mhc), err)
	}
	mhc.SetResourceVersion(u.GetResourceVersion())
	r.written.Note(mhc)
	return nil
}
