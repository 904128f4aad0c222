// Code generated from internal/ownwrites/jsonpatch.go by make generate. DO NOT EDIT.

package ownwrites

import (
	"encoding/json"
	"errors"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Op is one operation of a JSON patch.
type Op struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// Test makes the API server refuse a patch unless the path has the value; nil means no value.
func Test(path string, value any) Op {
	if value == nil {
		value = json.RawMessage("null")
	}
	return Op{Op: "test", Path: path, Value: value}
}

// TestUID makes the API server refuse a patch for any other object than the one that was read.
func TestUID(obj client.Object) Op { return Test("/metadata/uid", obj.GetUID()) }

// TestVersion makes the API server refuse a patch unless the object is exactly as it was read, as if it were read anew just before the patch.
func TestVersion(obj client.Object) Op {
	return Test("/metadata/resourceVersion", obj.GetResourceVersion())
}

// Remove removes what is at a path.
func Remove(path string) Op { return Op{Op: "remove", Path: path} }

// Path returns the path of a field in a map.
func Path(parent, key string) string {
	return parent + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}

// AnnotationPath returns the path of an annotation.
func AnnotationPath(key string) string { return Path("/metadata/annotations", key) }

// JSONPatch is a JSON patch. It conflicts only if one of its tests fails, so it also succeeds on an object that others keep writing to.
type JSONPatch []Op

// Type implements client.Patch.
func (JSONPatch) Type() types.PatchType { return types.JSONPatchType }

// Data implements client.Patch.
func (p JSONPatch) Data(client.Object) ([]byte, error) { return json.Marshal(p) }

// TestFailed reports whether one of its tests refused a JSON patch. If the API server refuses the patched object itself, the
// error has causes.
func TestFailed(err error) bool {
	refused, ok := errors.AsType[*apierrors.StatusError](err)
	return ok && apierrors.IsInvalid(err) && (refused.ErrStatus.Details == nil || len(refused.ErrStatus.Details.Causes) == 0)
}
