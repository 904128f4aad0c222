package manifest

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Resolve follows an alias to its target.
func Resolve(n *yaml.Node) *yaml.Node {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// Index returns the index of a field's key in a mapping, or -1.
func Index(mapping *yaml.Node, field string) int {
	if mapping == nil || mapping.Kind != yaml.MappingNode {
		return -1
	}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == field {
			return i
		}
	}
	return -1
}

// Get returns the value of a field of a mapping; nil if it has none.
func Get(mapping *yaml.Node, field string) *yaml.Node {
	if i := Index(mapping, field); i >= 0 {
		return Resolve(mapping.Content[i+1])
	}
	return nil
}

// At returns the key and the value of a field by its path, such as spec.checks.unhealthyNodeConditions[0].type
// or metadata.annotations[sickbay.dev/dry-run]. If the field does not exist, it returns the deepest node of the
// path that does, and found is false.
func At(root *yaml.Node, path string) (key, value *yaml.Node, found bool) {
	key, value = root, Resolve(root)
	for _, part := range parts(path) {
		nextKey, nextValue := step(value, part)
		if nextValue == nil {
			return key, value, false
		}
		key, value = nextKey, nextValue
	}
	return key, value, true
}

func step(n *yaml.Node, part string) (key, value *yaml.Node) {
	if n.Kind == yaml.SequenceNode {
		if i, err := strconv.Atoi(part); err == nil && i >= 0 && i < len(n.Content) {
			item := Resolve(n.Content[i])
			return item, item
		}
		return nil, nil
	}
	if i := Index(n, part); i >= 0 {
		return n.Content[i], Resolve(n.Content[i+1])
	}
	return nil, nil
}

// parts splits a path. Text in brackets is one part, even if it contains dots.
func parts(path string) (all []string) {
	for path != "" {
		if rest, ok := strings.CutPrefix(path, "["); ok {
			inner, after, _ := strings.Cut(rest, "]")
			all, path = append(all, inner), after
			continue
		}
		path = strings.TrimPrefix(path, ".")
		end := strings.IndexAny(path, ".[")
		if end < 0 {
			end = len(path)
		}
		if end > 0 {
			all = append(all, path[:end])
		}
		path = path[end:]
	}
	return all
}

// Duplicates returns the repeated keys of mappings.
func Duplicates(n *yaml.Node) (keys []*yaml.Node) {
	if n.Kind == yaml.MappingNode {
		var seen []string
		for i := 0; i+1 < len(n.Content); i += 2 {
			if slices.Contains(seen, n.Content[i].Value) {
				keys = append(keys, n.Content[i])
			}
			seen = append(seen, n.Content[i].Value)
		}
	}
	for _, child := range n.Content {
		keys = append(keys, Duplicates(child)...)
	}
	return keys
}
