package convert

import (
	"bytes"
	"encoding/json"
	"strings"

	"go.yaml.in/yaml/v3"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/sickbay-dev/sickbay/internal/manifest"
)

// Document converts the objects of a document, and returns its new text. If there is nothing to convert, it returns the text
// unchanged, including whitespace.
func Document(d *manifest.Document, o Options) (converted string, notes []Note) {
	all, changed := make([]Converted, len(d.Objects)), false
	for i, obj := range d.Objects {
		all[i] = Object(obj, o)
		notes = append(notes, all[i].Notes...)
		changed = changed || all[i].Nodes != nil
	}
	if !changed {
		return d.Text, notes
	}
	nodes := all[0].Nodes
	if d.Objects[0].Within != "" {
		list, err := listOf(d, all)
		if err != nil {
			return d.Text, append(notes, Note{File: d.File, Line: d.Line, Lost: true, Message: Stays + err.Error()})
		}
		nodes = []*yaml.Node{list}
	}
	text := render(d, nodes)
	if _, problems := manifest.Parse(d.File, []byte(text)); len(problems) > 0 {
		return d.Text, []Note{{File: d.File, Line: d.Line, Lost: true, Message: Stays + "its comments stand where they cannot be kept"}}
	}
	return text, notes
}

// listOf puts the converted items into their list, which may contain several kinds now.
func listOf(d *manifest.Document, items []Converted) (*yaml.Node, error) {
	list, err := expand(d.Root.Content[0])
	if err != nil {
		return nil, err
	}
	path, _, _ := strings.Cut(d.Objects[0].Within, "[")
	if path == "items" {
		set(list, "kind", "List")
		set(list, "apiVersion", "v1")
	}
	_, before, _ := manifest.At(list, path)
	_, read, _ := manifest.At(manifest.Resolve(d.Root.Content[0]), path)
	after, next := []*yaml.Node{}, 0
	for i, item := range before.Content {
		if next < len(items) && d.Objects[next].Node == manifest.Resolve(read.Content[i]) {
			next++
			if nodes := items[next-1].Nodes; nodes != nil {
				after = append(after, nodes...)
				continue
			}
		}
		after = append(after, item)
	}
	before.Content = after
	return list, nil
}

// render writes objects in place of a document, in its style and between its comments.
func render(d *manifest.Document, objects []*yaml.Node) string {
	if json.Valid([]byte(d.Text)) {
		return asJSON(objects, d.Text)
	}
	var out strings.Builder
	if strings.HasPrefix(d.Text, "---") {
		out.WriteString("---\n")
	}
	compact := isCompact(d.Root)
	for i, object := range objects {
		document := &yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{object}}
		if i == 0 {
			document.HeadComment = d.Root.HeadComment
		} else {
			out.WriteString("---\n")
		}
		if i == len(objects)-1 {
			document.FootComment = d.Root.FootComment
		}
		unfold(object)
		liftComments(object)
		out.WriteString(encode(document, compact))
	}
	if strings.Contains(d.Text, "\r\n") {
		return strings.ReplaceAll(out.String(), "\n", "\r\n")
	}
	return out.String()
}

// asJSON writes objects as JSON: several as a list, since a file of JSON has one value. It has no comments.
func asJSON(objects []*yaml.Node, before string) string {
	object := objects[0]
	if len(objects) > 1 {
		object = mapping(text("apiVersion"), text("v1"), text("kind"), text("List"), text("items"), sequence(objects...))
	}
	data, err := sigsyaml.YAMLToJSON([]byte(encode(object, true)))
	if err != nil {
		// The encoder has just written it.
		panic(err)
	}
	var out bytes.Buffer
	if _, rest, several := strings.Cut(strings.TrimSpace(before), "\n"); several {
		indent := rest[:len(rest)-len(strings.TrimLeft(rest, " \t"))]
		if json.Indent(&out, data, "", indent) == nil {
			return out.String() + "\n"
		}
	}
	return string(data) + "\n"
}

// unfold writes what has comments in it without braces: between them, a comment would break the line. It reports whether there is a comment.
func unfold(n *yaml.Node) (commented bool) {
	for _, child := range n.Content {
		commented = unfold(child) || commented
	}
	if commented {
		n.Style &^= yaml.FlowStyle
	}
	return commented || n.HeadComment+n.LineComment+n.FootComment != ""
}

// liftComments moves a comment above its field if the value of the field is empty, since the writer breaks the line after it.
func liftComments(n *yaml.Node) {
	for i, child := range n.Content {
		liftComments(child)
		if n.Kind != yaml.MappingNode || i%2 == 0 || child.Kind == yaml.ScalarNode || len(child.Content) > 0 {
			continue
		}
		if key := n.Content[i-1]; key.LineComment != "" {
			key.HeadComment, key.LineComment = strings.TrimPrefix(key.HeadComment+"\n"+key.LineComment, "\n"), ""
		}
	}
}

// isCompact reports whether lists are indented no deeper than their fields, as most tools do.
func isCompact(n *yaml.Node) bool {
	compact, found := firstList(n)
	return compact || !found
}

func firstList(n *yaml.Node) (compact, found bool) {
	for i, child := range n.Content {
		isValue := n.Kind == yaml.MappingNode && i%2 == 1
		if isValue && child.Kind == yaml.SequenceNode && child.Style&yaml.FlowStyle == 0 {
			return child.Column == n.Content[i-1].Column, true
		}
		if compact, found = firstList(child); found {
			return compact, true
		}
	}
	return false, false
}
