package apimodel

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/json"
)

// operation is one operation of a JSON patch (RFC 6902).
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// jsonPatch applies a JSON patch to raw, the caller's own copy. On an error, the caller must
// discard raw.
func jsonPatch(raw map[string]any, patch []byte) (map[string]any, error) {
	var operations []operation
	if err := json.Unmarshal(patch, &operations); err != nil {
		return nil, fmt.Errorf("decoding a JSON patch: %w", err)
	}
	for _, op := range operations {
		op.Value = normal(op.Value)
		changed, err := op.apply(raw, steps(op.Path))
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", op.Op, op.Path, err)
		}
		raw = changed.(map[string]any)
	}
	return raw, nil
}

func steps(path string) []string {
	parts := strings.Split(path, "/")[1:]
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
	}
	return parts
}

var errMissing = errors.New("no such field")

// apply applies an operation at a path below a value, and returns the new value.
func (o operation) apply(value any, path []string) (any, error) {
	switch v := value.(type) {
	case map[string]any:
		if len(path) == 1 {
			return v, o.inMap(v, path[0])
		}
		item, ok := v[path[0]]
		if !ok {
			return nil, errMissing
		}
		changed, err := o.apply(item, path[1:])
		v[path[0]] = changed
		return v, err
	case []any:
		if len(path) == 1 {
			return o.inList(v, path[0])
		}
		i, err := strconv.Atoi(path[0])
		if err != nil || i < 0 || i >= len(v) {
			return nil, errMissing
		}
		v[i], err = o.apply(v[i], path[1:])
		return v, err
	}
	return nil, errMissing
}

func (o operation) inMap(m map[string]any, key string) error {
	value, there := m[key]
	switch {
	case o.Op == "add", o.Op == "replace":
		// A real API server also replaces a field that does not exist.
		m[key] = o.Value
		return nil
	case o.Op == "test" && (there || o.Value == nil):
		return o.test(value)
	case !there:
		return errMissing
	case o.Op == "remove":
		delete(m, key)
		return nil
	}
	return errors.New("not supported by the model")
}

func (o operation) inList(list []any, key string) (any, error) {
	if o.Op == "add" && key == "-" {
		return append(list, o.Value), nil
	}
	i, err := strconv.Atoi(key)
	if err != nil || i < 0 || i > len(list) || (i == len(list) && o.Op != "add") {
		return nil, errMissing
	}
	switch o.Op {
	case "add":
		return slices.Insert(list, i, o.Value), nil
	case "replace":
		list[i] = o.Value
		return list, nil
	case "remove":
		return slices.Delete(list, i, i+1), nil
	case "test":
		return list, o.test(list[i])
	}
	return nil, errors.New("not supported by the model")
}

func (o operation) test(value any) error {
	if !equal(value, o.Value) {
		return fmt.Errorf("it is %v, and not %v", value, o.Value)
	}
	return nil
}

// mergePatch applies a JSON merge patch (RFC 7386) to raw.
func mergePatch(raw map[string]any, patch []byte) (map[string]any, error) {
	var fields map[string]any
	if err := json.Unmarshal(patch, &fields); err != nil {
		return nil, fmt.Errorf("decoding a merge patch: %w", err)
	}
	return merged(raw, normal(fields).(map[string]any)), nil
}

func merged(into, patch map[string]any) map[string]any {
	for key, value := range patch {
		fields, ok := value.(map[string]any)
		switch {
		case value == nil:
			delete(into, key)
		case ok:
			below, _ := into[key].(map[string]any)
			if below == nil {
				below = map[string]any{}
			}
			into[key] = merged(below, fields)
		default:
			into[key] = value
		}
	}
	return into
}
