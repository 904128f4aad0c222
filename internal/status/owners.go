package status

import (
	"encoding/json"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// OwnerPrefix begins the names of all field owners of Sickbay.
const OwnerPrefix = "sickbay-"

// OwnerRemediatedFieldOwner sets the mark for a Machine's owner. It is apart from
// that of the verdict, since the mark belongs to the owner once it is set.
const OwnerRemediatedFieldOwner = "sickbay-owner-remediated"

// Wrote tells whether the given field owner wrote the condition of that type that
// obj has now, or a part of it.
func Wrote(obj client.Object, conditionType, fieldOwner string) bool {
	for _, entry := range obj.GetManagedFields() {
		if entry.Manager == fieldOwner && entry.FieldsV1 != nil && holdsCondition(entry.FieldsV1.GetRawBytes(), conditionType) {
			return true
		}
	}
	return false
}

func holdsCondition(raw []byte, conditionType string) bool {
	var fields struct {
		Status struct {
			Conditions map[string]json.RawMessage `json:"f:conditions"`
		} `json:"f:status"`
	}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return false
	}
	key, err := json.Marshal(map[string]string{"type": conditionType})
	if err != nil {
		return false
	}
	_, ok := fields.Status.Conditions["k:"+string(key)]
	return ok
}

// KeepOurManagedFields drops the managed fields of everybody else from an object
// on its way into a cache: they are half of its size, and only ours are read.
func KeepOurManagedFields(obj any) (any, error) {
	object, ok := obj.(client.Object)
	if !ok {
		return obj, nil
	}
	var kept []metav1.ManagedFieldsEntry
	for _, entry := range object.GetManagedFields() {
		if strings.HasPrefix(entry.Manager, OwnerPrefix) {
			kept = append(kept, entry)
		}
	}
	object.SetManagedFields(kept)
	return obj, nil
}
