package trace

import (
	"encoding/json"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/sickbay-dev/sickbay/internal/ownwrites"
)

// isOurs reports whether an entry of the managed fields is of Sickbay. Its binary writes under the name sickbay where it names none.
func isOurs(entry metav1.ManagedFieldsEntry) bool {
	return entry.Manager == "sickbay" || strings.HasPrefix(entry.Manager, "sickbay-")
}

// fieldSet is what an entry of the managed fields holds, from some field on.
type fieldSet map[string]json.RawMessage

// fieldsOf are the sets of some writers from a field on, one for each entry that has it.
func fieldsOf(obj *unstructured.Unstructured, ours bool, at ...string) (sets []fieldSet) {
	for _, entry := range obj.GetManagedFields() {
		if isOurs(entry) != ours || entry.FieldsV1 == nil {
			continue
		}
		var set fieldSet
		raw := json.RawMessage(entry.FieldsV1.GetRawBytes())
		for _, name := range append([]string{""}, at...) {
			if name != "" {
				raw = set[name]
			}
			set = nil
			if json.Unmarshal(raw, &set) != nil {
				break
			}
		}
		if len(set) > 0 {
			sets = append(sets, set)
		}
	}
	return sets
}

// owns reports whether some writers own a field.
func owns(sets []fieldSet, name string) bool {
	return slices.ContainsFunc(sets, func(set fieldSet) bool { _, ok := set[name]; return ok })
}

// alone reports whether a field was written by Sickbay, and no part of it by anybody else.
func alone(obj *unstructured.Unstructured, name string, at ...string) bool {
	return owns(fieldsOf(obj, true, at...), name) && !owns(fieldsOf(obj, false, at...), name)
}

// key is how the managed fields name an item of a list by one of its fields.
func key(field, value string) string {
	data, _ := json.Marshal(map[string]string{field: value})
	return "k:" + string(data)
}

// managers takes what is left of Sickbay's names out of the managed fields: nobody owns what it still names then. Where nobody else has a name there,
// the list is emptied in the one way that the API server has for that.
func managers(obj *unstructured.Unstructured) (f Finding) {
	all := obj.GetManagedFields()
	for i, entry := range slices.Backward(all) {
		if isOurs(entry) {
			f.takeItem("/metadata/managedFields", i, "/manager", entry.Manager)
			f.What = append(f.What, "field manager "+entry.Manager)
		}
	}
	if len(all) > 0 && len(f.What) == len(all) {
		last := &f.Patch[len(f.Patch)-1]
		*last = ownwrites.Op{Op: "replace", Path: "/metadata/managedFields", Value: []any{map[string]any{}}}
	}
	slices.Reverse(f.What)
	return f.of(obj)
}
