package apimodel

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/sickbay-dev/sickbay/internal/status"
)

// own keeps the managed fields of Sickbay's own field owners up to date: who wrote which condition and which annotation. A
// condition that somebody else changes keeps its owner, who still owns a part of it; an annotation does not.
func own(old, next map[string]any, r request) {
	before, after := named(old), named(next)
	changed := changes(before, after)
	meta := metadata(next)
	entries, _ := meta["managedFields"].([]any)
	kept, mine := []any{}, map[string]bool{}
	for _, entry := range entries {
		fields := entry.(map[string]any)
		paths := stillOwned(fields, after, changed, r)
		if text(fields, "manager") == r.owner && text(fields, "operation") == r.operation() {
			mine = paths
			continue
		}
		if len(paths) > 0 {
			kept = append(kept, entryOf(text(fields, "manager"), text(fields, "operation"), paths))
		}
	}
	if r.applied != nil {
		changed, mine = map[string]bool{}, map[string]bool{}
		for path := range named(r.applied) {
			changed[path] = true
		}
	}
	maps.Copy(mine, changed)
	if strings.HasPrefix(r.owner, status.OwnerPrefix) && len(mine) > 0 {
		kept = append(kept, entryOf(r.owner, r.operation(), mine))
	}
	if delete(meta, "managedFields"); len(kept) > 0 {
		meta["managedFields"] = kept
	}
}

// changes are the paths whose values differ.
func changes(before, after map[string]any) map[string]bool {
	changed := map[string]bool{}
	for path, value := range after {
		if !equal(before[path], value) {
			changed[path] = true
		}
	}
	return changed
}

// stillOwned are the paths of an entry that are its own after a write.
func stillOwned(fields, after map[string]any, changed map[string]bool, r request) map[string]bool {
	paths := owned(fields)
	for path := range paths {
		_, there := after[path]
		taken := changed[path] && strings.HasPrefix(path, annotationPath) && text(fields, "manager") != r.owner
		if !there || taken {
			delete(paths, path)
		}
	}
	return paths
}

func (r request) operation() string {
	if r.applied != nil {
		return "Apply"
	}
	return "Update"
}

const (
	conditionPath  = "condition "
	annotationPath = "annotation "
)

// named returns the conditions and the annotations of an object.
func named(raw map[string]any) map[string]any {
	found := map[string]any{}
	if raw == nil {
		return found
	}
	annotations, _ := metadata(raw)["annotations"].(map[string]any)
	for key, value := range annotations {
		found[annotationPath+key] = value
	}
	status, _ := raw["status"].(map[string]any)
	for _, c := range conditions(status) {
		found[conditionPath+text(c, "type")] = c
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

// owned reads the paths of an entry, and entryOf writes them.
func owned(entry map[string]any) map[string]bool {
	fields := section(entry, "fieldsV1")
	paths := map[string]bool{}
	for key := range section(section(fields, "f:metadata"), "f:annotations") {
		paths[annotationPath+strings.TrimPrefix(key, "f:")] = true
	}
	for key := range section(section(fields, "f:status"), "f:conditions") {
		var id struct {
			Type string `json:"type"`
		}
		if json.Unmarshal([]byte(strings.TrimPrefix(key, "k:")), &id) == nil {
			paths[conditionPath+id.Type] = true
		}
	}
	return paths
}

func entryOf(manager, operation string, paths map[string]bool) map[string]any {
	fields := map[string]any{}
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		if key, ok := strings.CutPrefix(path, annotationPath); ok {
			section(section(fields, "f:metadata"), "f:annotations")["f:"+key] = map[string]any{}
			continue
		}
		key, _ := json.Marshal(map[string]string{"type": strings.TrimPrefix(path, conditionPath)})
		section(section(fields, "f:status"), "f:conditions")["k:"+string(key)] = map[string]any{".": map[string]any{}}
	}
	return map[string]any{"manager": manager, "operation": operation, "fieldsType": "FieldsV1", "fieldsV1": fields}
}
