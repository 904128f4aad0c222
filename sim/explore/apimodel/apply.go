package apimodel

import (
	"slices"
)

// appliedBy returns the name under which the server stores what was applied.
func (r request) appliedBy() string {
	if r.status {
		return r.owner + "/status"
	}
	return r.owner
}

// serverSideApply applies the request's fields to an object, and removes the fields that the same owner applied before but
// no longer does.
func (r request) serverSideApply(old *Object, raw map[string]any) map[string]any {
	if meta := metadata(r.applied); text(meta, "uid") != "" {
		metadata(raw)["uid"] = meta["uid"]
	}
	if meta := metadata(r.applied); text(meta, "resourceVersion") != "" {
		metadata(raw)["resourceVersion"] = meta["resourceVersion"]
	}
	fresh := func(fields map[string]any) map[string]any {
		return map[string]any{
			"metadata": pick(metadata(fields), "labels", "annotations", "ownerReferences", "finalizers"),
			"status":   section(fields, "status"), "spec": section(fields, "spec"),
		}
	}
	if before := old.applied[r.appliedBy()]; before != nil {
		r.withdraw(old, raw, fresh(before), fresh(r.applied), nil)
	}
	applyFields(raw, fresh(r.applied))
	return raw
}

func pick(fields map[string]any, names ...string) map[string]any {
	picked := map[string]any{}
	for _, name := range names {
		if value, ok := fields[name]; ok {
			picked[name] = value
		}
	}
	return picked
}

// applyFields merges maps by key, and lists of conditions and owners by the field that identifies their items.
func applyFields(into, fields map[string]any) {
	for key, value := range fields {
		switch v := value.(type) {
		case map[string]any:
			if len(v) > 0 {
				applyFields(section(into, key), v)
			}
		case []any:
			if id := idOf[key]; id != "" {
				list, _ := into[key].([]any)
				into[key] = applyItems(list, v, id)
				continue
			}
			into[key] = value
		default:
			into[key] = value
		}
	}
}

// idOf is the field that identifies the items of a list. Any other list is one value.
var idOf = map[string]string{"conditions": "type", "ownerReferences": "uid"}

func applyItems(into, items []any, id string) []any {
	for _, item := range items {
		fields := item.(map[string]any)
		i := slices.IndexFunc(into, func(other any) bool { return text(other.(map[string]any), id) == text(fields, id) })
		if i < 0 {
			into = append(into, fields)
			continue
		}
		applyFields(into[i].(map[string]any), fields)
	}
	return into
}

// withdraw removes from raw what is in before but not in now, unless somebody else owns it, too.
func (r request) withdraw(old *Object, raw, before, now map[string]any, path []string) {
	for key, value := range before {
		at := append(slices.Clone(path), key)
		switch v := value.(type) {
		case map[string]any:
			r.withdraw(old, section(raw, key), v, section(now, key), at)
		case []any:
			if id := idOf[key]; id != "" {
				list, _ := raw[key].([]any)
				kept, _ := now[key].([]any)
				raw[key] = withdrawItems(list, v, kept, id)
				continue
			}
			r.withdrawField(old, raw, now, key, path)
		default:
			r.withdrawField(old, raw, now, key, path)
		}
	}
}

func (r request) withdrawField(old *Object, raw, now map[string]any, key string, path []string) {
	if _, kept := now[key]; kept {
		return
	}
	for owner, fields := range old.applied {
		if owner != r.appliedBy() && has(fields, append(slices.Clone(path), key)) {
			return
		}
	}
	delete(raw, key)
}

func has(fields map[string]any, path []string) bool {
	for _, key := range path[:len(path)-1] {
		next, ok := fields[key].(map[string]any)
		if !ok {
			return false
		}
		fields = next
	}
	_, ok := fields[path[len(path)-1]]
	return ok
}

func withdrawItems(list, before, now []any, id string) []any {
	named := func(items []any, name string) bool {
		return slices.ContainsFunc(items, func(item any) bool { return text(item.(map[string]any), id) == name })
	}
	return slices.DeleteFunc(list, func(item any) bool {
		name := text(item.(map[string]any), id)
		return named(before, name) && !named(now, name)
	})
}
