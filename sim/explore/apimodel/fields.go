package apimodel

import (
	"reflect"
	"slices"
)

// metadata returns the metadata of an object, and adds it if it is missing.
func metadata(raw map[string]any) map[string]any { return section(raw, "metadata") }

func section(raw map[string]any, name string) map[string]any {
	if m, ok := raw[name].(map[string]any); ok {
		return m
	}
	m := map[string]any{}
	raw[name] = m
	return m
}

func text(fields map[string]any, name string) string {
	value, _ := fields[name].(string)
	return value
}

func number(fields map[string]any, name string) int64 {
	value, _ := fields[name].(int64)
	return value
}

// copied returns a deep copy with the types that reading an object gives: int64, or float64 for fractions, and maps of any.
func copied(value any) any {
	switch v := value.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for key, item := range v {
			m[key] = copied(item)
		}
		return m
	case map[string]string:
		m := make(map[string]any, len(v))
		for key, item := range v {
			m[key] = item
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = copied(item)
		}
		return list
	case int:
		return int64(v)
	case int32:
		return int64(v)
	case float64:
		if v == float64(int64(v)) {
			return int64(v)
		}
	}
	return value
}

// identical reports whether two fields are the same map in memory, or both absent.
func identical(a, b any) bool {
	x, isMap := a.(map[string]any)
	y, too := b.(map[string]any)
	if !isMap || !too {
		return a == nil && b == nil
	}
	return reflect.ValueOf(x).UnsafePointer() == reflect.ValueOf(y).UnsafePointer()
}

// same compares fields. An empty field equals an absent one.
func same(a, b any) bool {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			return b == nil && empty(a)
		}
		return sameMap(x, y)
	case []any:
		y, ok := b.([]any)
		if !ok {
			return b == nil && len(x) == 0
		}
		return slices.EqualFunc(x, y, same)
	case nil:
		return empty(b)
	}
	return a == b
}

func sameMap(a, b map[string]any) bool {
	if identical(a, b) {
		return true
	}
	for key := range b {
		if _, there := a[key]; !there && !empty(b[key]) {
			return false
		}
	}
	for key := range a {
		if !same(a[key], b[key]) {
			return false
		}
	}
	return true
}

// empty reports whether a field counts as absent.
func empty(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case map[string]any:
		for _, item := range v {
			if !empty(item) {
				return false
			}
		}
		return true
	case []any:
		return len(v) == 0
	}
	return false
}
