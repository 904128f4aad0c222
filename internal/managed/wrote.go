// Package managed reads from the managed fields of an object who wrote what.
//
// It serves the controllers and the health check engine, and knows no kind of object.
package managed

import (
	"bytes"
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Wrote reports whether the given field owner wrote the condition of that type that
// obj has now, or a part of it.
func Wrote(obj client.Object, conditionType, fieldOwner string) bool {
	for _, entry := range obj.GetManagedFields() {
		if entry.Manager == fieldOwner && entry.FieldsV1 != nil && holdsCondition(entry.FieldsV1.GetRawBytes(), conditionType) {
			return true
		}
	}
	return false
}

// Applied reports whether the given field owner applied the condition of that type that obj has
// now, or a part of it. A namesake that updates is somebody else.
func Applied(obj client.Object, conditionType, fieldOwner string) bool {
	for _, entry := range obj.GetManagedFields() {
		if entry.Manager == fieldOwner && entry.Operation == metav1.ManagedFieldsOperationApply &&
			entry.FieldsV1 != nil && holdsCondition(entry.FieldsV1.GetRawBytes(), conditionType) {
			return true
		}
	}
	return false
}

// holdsCondition reports whether a set of fields has a condition in status.conditions. Most have not, which is told without
// decoding.
func holdsCondition(raw []byte, conditionType string) bool {
	if !bytes.Contains(raw, []byte(conditionType)) {
		return false
	}
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
