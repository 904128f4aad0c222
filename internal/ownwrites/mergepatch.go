package ownwrites

import (
	"encoding/json"
	"maps"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// MergePatch is a merge patch that the API server refuses if the object has changed since it was read.
type MergePatch struct {
	// Of is the object as it was read.
	Of client.Object
	// Metadata and Spec are the changes.
	Metadata, Spec map[string]any
}

// Type implements client.Patch.
func (MergePatch) Type() types.PatchType { return types.MergePatchType }

// Data implements client.Patch.
func (p MergePatch) Data(client.Object) ([]byte, error) {
	metadata := map[string]any{"uid": p.Of.GetUID(), "resourceVersion": p.Of.GetResourceVersion()}
	maps.Copy(metadata, p.Metadata)
	patch := map[string]any{"metadata": metadata}
	if len(p.Spec) > 0 {
		patch["spec"] = p.Spec
	}
	return json.Marshal(patch)
}

// Annotations returns a patch that changes annotations of obj, if it has not changed since it was read.
// A nil value removes the annotation.
func Annotations[V any](obj client.Object, changes map[string]V) MergePatch {
	return MergePatch{Of: obj, Metadata: map[string]any{"annotations": changes}}
}
