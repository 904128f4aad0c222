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

// Test has a patch be refused unless there is a value at a path; nil is that there is none.
func Test(path string, value any) Op {
	if value == nil {
		value = json.RawMessage("null")
	}
	return Op{Op: "test", Path: path, Value: value}
}

// TestUID has a patch be refused unless it meets the very object that was read.
func TestUID(obj client.Object) Op { return Test("/metadata/uid", obj.GetUID()) }

// Remove takes away what is at a path.
func Remove(path string) Op { return Op{Op: "remove", Path: path} }

// Path is that of a field in a mapping.
func Path(parent, key string) string {
	return parent + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}

// AnnotationPath is the path of an annotation.
func AnnotationPath(key string) string { return Path("/metadata/annotations", key) }

// JSONPatch is bound to what its tests name, and to nothing else: an object that others write to all the time is patched all the same.
type JSONPatch []Op

// Type implements client.Patch.
func (JSONPatch) Type() types.PatchType { return types.JSONPatchType }

// Data implements client.Patch.
func (p JSONPatch) Data(client.Object) ([]byte, error) { return json.Marshal(p) }

// TestFailed reports whether a JSON patch was refused by one of its tests. An object that is refused as it would be has causes.
func TestFailed(err error) bool {
	refused, ok := errors.AsType[*apierrors.StatusError](err)
	return ok && apierrors.IsInvalid(err) && (refused.ErrStatus.Details == nil || len(refused.ErrStatus.Details.Causes) == 0)
}
