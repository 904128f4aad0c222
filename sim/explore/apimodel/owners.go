package apimodel

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/internal/ownwrites"
)

// ownership is an entry of the managed fields: the conditions and annotations that a field owner of Sickbay has written.
type ownership struct {
	manager, operation string
	fields             []field
	raw                map[string]any
	entry              metav1.ManagedFieldsEntry
}

// field is a condition or an annotation.
type field struct {
	annotation bool
	name       string
}

type fieldValue struct {
	field
	value any
}

// own returns what each of Sickbay's own field owners owns after a write, and stores it in the managed fields. If
// somebody else changes a condition, its owner keeps it, because it still owns a part of it; an annotation it loses.
func own(old *Object, next map[string]any, r request) []ownership {
	before, after := []fieldValue(nil), named(next)
	var owners, kept []ownership
	if old != nil {
		before, owners = named(old.raw), old.owners
	}
	changed := changes(before, after)
	var mine []field
	for _, o := range owners {
		fields := o.stillOwned(after, changed, r)
		if o.manager == r.owner && o.operation == r.operation() {
			mine = fields
			continue
		}
		if len(fields) > 0 {
			kept = append(kept, o.with(fields))
		}
	}
	if r.applied != nil {
		changed, mine = fieldsOfAll(named(r.applied)), nil
	}
	mine = union(mine, changed)
	if strings.HasPrefix(r.owner, ownwrites.OwnerPrefix) && len(mine) > 0 {
		kept = append(kept, find(owners, r).with(mine))
	}
	writeManaged(metadata(next), kept)
	return kept
}

// find returns the entry of a request's writer.
func find(owners []ownership, r request) ownership {
	for _, o := range owners {
		if o.manager == r.owner && o.operation == r.operation() {
			return o
		}
	}
	return ownership{manager: r.owner, operation: r.operation()}
}

// changes returns the fields whose values differ.
func changes(before, after []fieldValue) []field {
	var changed []field
	for _, now := range after {
		i := slices.IndexFunc(before, func(was fieldValue) bool { return was.field == now.field })
		if i < 0 || !same(before[i].value, now.value) {
			changed = append(changed, now.field)
		}
	}
	return changed
}

// stillOwned returns the fields of an entry that it still owns after a write.
func (o ownership) stillOwned(after []fieldValue, changed []field, r request) []field {
	return slices.DeleteFunc(slices.Clone(o.fields), func(f field) bool {
		there := slices.ContainsFunc(after, func(now fieldValue) bool { return now.field == f })
		return !there || (f.annotation && o.manager != r.owner && slices.Contains(changed, f))
	})
}

func fieldsOfAll(values []fieldValue) []field {
	var fields []field
	for _, value := range values {
		fields = append(fields, value.field)
	}
	return fields
}

func union(a, b []field) []field {
	for _, f := range b {
		if !slices.Contains(a, f) {
			a = append(a, f)
		}
	}
	return a
}

func (r request) operation() string {
	if r.applied != nil {
		return "Apply"
	}
	return "Update"
}

// named returns the conditions and the annotations of an object.
func named(raw map[string]any) []fieldValue {
	meta, _ := raw["metadata"].(map[string]any)
	annotations, _ := meta["annotations"].(map[string]any)
	status, _ := raw["status"].(map[string]any)
	list := conditions(status)
	found := make([]fieldValue, 0, len(annotations)+len(list))
	for key, value := range annotations {
		found = append(found, fieldValue{field{true, key}, value})
	}
	for _, c := range list {
		found = append(found, fieldValue{field{false, text(c, "type")}, c})
	}
	return found
}

func conditions(status map[string]any) []map[string]any {
	list, _ := status["conditions"].([]any)
	found := make([]map[string]any, 0, len(list))
	for _, item := range list {
		if c, ok := item.(map[string]any); ok {
			found = append(found, c)
		}
	}
	return found
}
