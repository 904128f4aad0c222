// Code generated from internal/ownwrites/wrote.go by make generate. DO NOT EDIT.

// Package ownwrites is about what Sickbay itself writes: it builds applies and patches, makes them depend on what was read,
// reads from managed fields who wrote what, and shortens texts to what the API accepts.
//
// The controllers and the health check engine use it.
package ownwrites

import (
	"bytes"
	"encoding/json"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Wrote reports whether a field owner wrote the condition of that type that obj has now, or a part of it.
func Wrote(obj client.Object, conditionType, fieldOwner string) bool {
	return slices.ContainsFunc(obj.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool {
		return entry.Manager == fieldOwner && holdsCondition(entry.FieldsV1, conditionType)
	})
}

// holdsCondition reports whether a set of fields has a condition in status.conditions. Most sets do not, which it finds out
// without decoding them.
func holdsCondition(set *metav1.FieldsV1, conditionType string) bool {
	key, err := json.Marshal(map[string]string{"type": conditionType})
	if err != nil {
		return false
	}
	_, ok := conditionsIn(set, conditionType)["k:"+string(key)]
	return ok
}

// conditionsIn returns what a set of fields has of status.conditions; nil if nothing. A set without the text has nothing that matters.
func conditionsIn(set *metav1.FieldsV1, text string) map[string]json.RawMessage {
	if set == nil || !bytes.Contains(set.GetRawBytes(), []byte(text)) {
		return nil
	}
	var fields struct {
		Status struct {
			Conditions map[string]json.RawMessage `json:"f:conditions"`
		} `json:"f:status"`
	}
	if err := json.Unmarshal(set.GetRawBytes(), &fields); err != nil {
		return nil
	}
	return fields.Status.Conditions
}
