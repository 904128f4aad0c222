package apimodel

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// with returns the entry with these fields.
func (o ownership) with(fields []field) ownership {
	slices.SortFunc(fields, func(a, b field) int {
		if a.annotation != b.annotation {
			if a.annotation {
				return -1
			}
			return 1
		}
		return strings.Compare(a.name, b.name)
	})
	if o.raw != nil && slices.Equal(o.fields, fields) {
		return o
	}
	set := map[string]any{}
	for _, f := range fields {
		if f.annotation {
			section(section(set, "f:metadata"), "f:annotations")["f:"+f.name] = map[string]any{}
			continue
		}
		section(section(set, "f:status"), "f:conditions")[`k:{"type":"`+f.name+`"}`] = map[string]any{".": map[string]any{}}
	}
	data, err := json.Marshal(set)
	if err != nil {
		panic(fmt.Sprintf("apimodel: encoding managed fields: %v", err))
	}
	next := ownership{manager: o.manager, operation: o.operation, fields: fields}
	next.raw = map[string]any{"manager": o.manager, "operation": o.operation, "fieldsType": "FieldsV1", "fieldsV1": set}
	next.entry = metav1.ManagedFieldsEntry{
		Manager: o.manager, Operation: metav1.ManagedFieldsOperationType(o.operation), FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(string(data)),
	}
	return next
}

func writeManaged(meta map[string]any, owners []ownership) {
	delete(meta, "managedFields")
	if len(owners) == 0 {
		return
	}
	list := make([]any, len(owners))
	for i, o := range owners {
		list[i] = o.raw
	}
	meta["managedFields"] = list
}

func entries(owners []ownership) []metav1.ManagedFieldsEntry {
	var list []metav1.ManagedFieldsEntry
	for _, o := range owners {
		list = append(list, o.entry)
	}
	return list
}
