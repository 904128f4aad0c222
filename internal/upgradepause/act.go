package upgradepause

import (
	"context"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// FieldOwner is the name under which the annotations are written.
const FieldOwner = "sickbay-upgradepause"

// act writes what was decided, all of it at once, and only to the MachineHealthCheck that was
// looked at: if it has changed since, the API server refuses.
func (r *Reconciler) act(ctx context.Context, check *metav1.PartialObjectMetadata, d Decision) error {
	if len(d.Changes) == 0 {
		return nil
	}
	key := client.ObjectKeyFromObject(check)
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"uid": check.UID, "resourceVersion": check.ResourceVersion, "annotations": d.Changes,
	}})
	if err != nil {
		return fmt.Errorf("encoding the annotations of MachineHealthCheck %s: %w", key, err)
	}
	after := &metav1.PartialObjectMetadata{TypeMeta: check.TypeMeta, ObjectMeta: metav1.ObjectMeta{Namespace: check.Namespace, Name: check.Name}}
	if err := r.Client.Patch(ctx, after, client.RawPatch(types.MergePatchType, patch), client.FieldOwner(FieldOwner)); err != nil {
		return fmt.Errorf("annotating MachineHealthCheck %s: %w", key, err)
	}
	r.written.Note(after)
	return nil
}
