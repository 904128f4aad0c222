package machinehealthcheck

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
)

const (
	// FieldOwner is the field manager of our writes to MachineHealthChecks, and of the slots that we grant.
	FieldOwner = "sickbay-machinehealthcheck"
	// metadataFieldOwner is the field manager of the label and the owner reference that we ensure.
	metadataFieldOwner = "sickbay-machinehealthcheck-metadata"
)

// writer writes, and decides nothing.
type writer struct{ client client.Client }

// create creates a record.
func (w writer) create(ctx context.Context, record *v1alpha1.MachineRemediation) error {
	if err := w.client.Create(ctx, record); err != nil {
		return fmt.Errorf("creating MachineRemediation %s: %w", record.Name, err)
	}
	return nil
}

// grant raises spec.grant of a record, if it is still the one that was decided on and nobody else has raised it.
func (w writer) grant(ctx context.Context, record *v1alpha1.MachineRemediation, grant int32) (*v1alpha1.MachineRemediation, error) {
	patch := ownwrites.JSONPatch{
		ownwrites.TestUID(record),
		ownwrites.Test("/spec/grant", record.Spec.Grant),
		{Op: "replace", Path: "/spec/grant", Value: grant},
	}
	written := record.DeepCopy()
	if err := w.client.Patch(ctx, written, patch, client.FieldOwner(FieldOwner)); err != nil {
		return nil, fmt.Errorf("granting MachineRemediation %s a slot: %w", record.Name, err)
	}
	return written, nil
}

// status applies the status of a MachineHealthCheck, without the conditions of others.
func (w writer) status(ctx context.Context, mhc *clusterv1.MachineHealthCheck, desired clusterv1.MachineHealthCheckStatus) error {
	desired.Deprecated = nil
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&desired)
	if err != nil {
		return err
	}
	return ownwrites.ApplyStatus(ctx, w.client, FieldOwner, mhc, map[string]any{"status": fields})
}

// metadata applies the label of a Cluster to a MachineHealthCheck, and the owner reference unless it would be refused.
func (w writer) metadata(ctx context.Context, mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster, owns bool) error {
	metadata := map[string]any{"uid": string(mhc.UID), "labels": map[string]any{clusterv1.ClusterNameLabel: cluster.Name}}
	if owns {
		metadata["ownerReferences"] = []any{map[string]any{
			"apiVersion": clusterv1.GroupVersion.String(), "kind": "Cluster", "name": cluster.Name, "uid": string(cluster.UID),
		}}
	}
	return ownwrites.Apply(ctx, w.client, metadataFieldOwner, mhc, map[string]any{"metadata": metadata})
}

// handBack gives up all fields that we have.
func (w writer) handBack(ctx context.Context, mhc *clusterv1.MachineHealthCheck) error {
	if wrote(mhc, FieldOwner) {
		if err := ownwrites.ApplyStatus(ctx, w.client, FieldOwner, mhc, map[string]any{}); err != nil {
			return err
		}
	}
	if !wrote(mhc, metadataFieldOwner) {
		return nil
	}
	return ownwrites.Apply(ctx, w.client, metadataFieldOwner, mhc, map[string]any{"metadata": map[string]any{"uid": string(mhc.UID)}})
}

// wrote reports whether a field manager of ours still has fields.
func wrote(mhc *clusterv1.MachineHealthCheck, owner string) bool {
	return slices.ContainsFunc(mhc.ManagedFields, func(entry metav1.ManagedFieldsEntry) bool { return entry.Manager == owner })
}
