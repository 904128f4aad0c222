package trace

import (
	"encoding/json"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/sickbay-dev/sickbay/internal/ownwrites"
)

// isOurs reports whether an entry of the managed fields is Sickbay's. Writes without a field manager have the name of the binary, sickbay.
func isOurs(entry metav1.ManagedFieldsEntry) bool {
	return entry.Manager == "sickbay" || strings.HasPrefix(entry.Manager, ownwrites.OwnerPrefix)
}

// fieldSet is the content of an entry of the managed fields, below some field.
type fieldSet map[string]json.RawMessage

// fieldsOf returns the sets below a field, one for each entry that has it: of our entries, or of all others.
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

// owns reports whether one of the sets contains a field.
func owns(sets []fieldSet, name string) bool {
	return slices.ContainsFunc(sets, func(set fieldSet) bool { _, ok := set[name]; return ok })
}

// alone reports whether only Sickbay has written a field and all its parts.
func alone(obj *unstructured.Unstructured, name string, at ...string) bool {
	return owns(fieldsOf(obj, true, at...), name) && !owns(fieldsOf(obj, false, at...), name)
}

// key returns the name that the managed fields use for a list item with this field.
func key(field, value string) string {
	data, _ := json.Marshal(map[string]string{field: value})
	return "k:" + string(data)
}

// managers removes Sickbay's names from the managed fields, so that nobody owns the fields they still list. If no other name is left, it empties the
// list in the only way that the API server offers.
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
