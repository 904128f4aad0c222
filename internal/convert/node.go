package convert

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/sickbay-dev/sickbay/internal/manifest"
)

// end is the position after all others.
const end = -1

func text(value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value}
}

func number(n int64) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: fmt.Sprint(n)}
}

func mapping(pairs ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: pairs}
}

func sequence(items ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: items}
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// take removes a field from a mapping and returns it; nil if it has none.
func take(m *yaml.Node, field string) (key, value *yaml.Node) {
	i := manifest.Index(m, field)
	if i < 0 {
		return nil, nil
	}
	key, value = m.Content[i], m.Content[i+1]
	m.Content = slices.Delete(m.Content, i, i+2)
	return key, value
}

// insert inserts a field into a mapping at a position.
func insert(m, key, value *yaml.Node, at int) {
	if at == end || at > len(m.Content) {
		at = len(m.Content)
	}
	m.Content = slices.Insert(m.Content, at, key, value)
}

// set sets a field of a mapping to a text.
func set(m *yaml.Node, field, value string) {
	if i := manifest.Index(m, field); i >= 0 {
		old := m.Content[i+1]
		made := text(value)
		made.Line, made.Column, made.HeadComment, made.LineComment, made.FootComment = old.Line, old.Column, old.HeadComment, old.LineComment, old.FootComment
		m.Content[i+1] = made
		return
	}
	insert(m, text(field), text(value), 0)
}

// child returns the mapping in a field. If it does not exist, child creates it at a position.
func child(m *yaml.Node, field string, at int) *yaml.Node {
	if i := manifest.Index(m, field); i >= 0 {
		value := m.Content[i+1]
		if isNull(value) {
			*value = yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", HeadComment: value.HeadComment, LineComment: value.LineComment}
		}
		return value
	}
	made := mapping()
	insert(m, text(field), made, at)
	return made
}

// prune removes empty fields of a mapping.
func prune(m *yaml.Node, fields ...string) {
	for _, field := range fields {
		value := manifest.Get(m, field)
		if value != nil && (isNull(value) || value.Kind != yaml.ScalarNode && len(value.Content) == 0) {
			take(m, field)
		}
	}
}

// snippet returns a field, or an item of a list, as YAML.
func snippet(key, value *yaml.Node) string {
	if key == nil {
		return strings.TrimRight(encode(sequence(value), true), "\n")
	}
	return strings.TrimRight(encode(mapping(key, value), true), "\n")
}

// encode writes a node. Lists are indented no deeper than their field if compact.
func encode(n *yaml.Node, compact bool) string {
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if compact {
		encoder.CompactSeqIndent()
	}
	if err := encoder.Encode(n); err != nil {
		// The encoder accepts every node that a parser returned.
		panic(err)
	}
	return out.String()
}

// expand copies a node and replaces aliases by their targets: fields are moved, and an alias must come after its target.
func expand(n *yaml.Node) (*yaml.Node, error) {
	duplicate := *n
	duplicate.Anchor = ""
	if n.Kind == yaml.AliasNode {
		expanded, err := expand(n.Alias)
		if err != nil {
			return nil, err
		}
		expanded.Line, expanded.HeadComment, expanded.FootComment = n.Line, n.HeadComment, n.FootComment
		expanded.LineComment = n.LineComment
		return expanded, nil
	}
	duplicate.Content = nil
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && child.Tag == "!!merge" {
			return nil, fmt.Errorf("its line %d merges fields with <<", child.Line)
		}
		expanded, err := expand(child)
		if err != nil {
			return nil, err
		}
		duplicate.Content = append(duplicate.Content, expanded)
	}
	return &duplicate, nil
}
