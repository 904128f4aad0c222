package convert

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/sickbay-dev/sickbay/internal/manifest"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// conversion is the conversion of one object. It changes a copy of the object's nodes.
type conversion struct {
	options Options
	file    string
	kind    schema.GroupVersionKind
	root    *yaml.Node
	paths   map[*yaml.Node]string
	notes   []Note
	// lost are the comments about what could not be expressed.
	lost []string
	// byName reports whether a step of the plan makes a request with the name of its Node.
	byName bool
	// changed reports whether the object is not in the current form.
	changed bool
	// refused reports whether it cannot be converted.
	refused bool
	// why is the note about that.
	why Note
	// embedded reports whether it has health checks as parts, which cannot be a dry-run.
	embedded bool
}

// remember stores the original path of every node.
func (c *conversion) remember(n *yaml.Node, path string) {
	c.paths[n] = path
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			below := strings.TrimPrefix(path+"."+n.Content[i].Value, ".")
			if strings.ContainsAny(n.Content[i].Value, "./") {
				below = path + "[" + n.Content[i].Value + "]"
			}
			c.paths[n.Content[i]] = below
			c.remember(n.Content[i+1], below)
		}
	case yaml.SequenceNode:
		for i, item := range n.Content {
			c.remember(item, fmt.Sprintf("%s[%d]", path, i))
		}
	default:
	}
}

// note adds a remark about a change without loss.
func (c *conversion) note(at *yaml.Node, message string) { c.say(at, false, message) }

func (c *conversion) say(at *yaml.Node, lost bool, message string) {
	c.notes = append(c.notes, Note{File: c.file, Line: c.line(at), Field: c.paths[at], Lost: lost, Message: message})
}

// line returns the line of a node. One that was made here has none, so its line is that of what was to contain it.
func (c *conversion) line(at *yaml.Node) int {
	if spec := manifest.Index(c.root, "spec"); at.Line == 0 && spec >= 0 {
		return c.root.Content[spec].Line
	}
	return cmp.Or(at.Line, c.root.Line)
}

// lose notes that something could not be expressed, and keeps it as a comment. The key may be nil for an item of a
// list.
func (c *conversion) lose(key, value *yaml.Node, message string) {
	at := key
	if at == nil {
		at = value
	}
	c.changed = true
	c.say(at, true, message)
	c.lost = append(c.lost, "# Not converted: "+c.paths[at]+": "+oneLine(message))
	for line := range strings.SplitSeq(snippet(key, value), "\n") {
		c.lost = append(c.lost, strings.TrimRight("#   "+line, " "))
	}
}

// quote puts metadata and labels in quotes that are a number or a boolean without them, also by the older rules that an API server has.
func (c *conversion) quote(n *yaml.Node) {
	if n == nil {
		return
	}
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			continue
		}
		c.quote(child)
	}
	if n.Kind == yaml.ScalarNode && n.Style == 0 && (slices.Contains([]string{"!!int", "!!float", "!!bool"}, n.ShortTag()) || olderBooleans.MatchString(n.Value)) {
		n.Tag, n.Style, c.changed = "!!str", yaml.DoubleQuotedStyle, true
	}
}

// olderBooleans matches what was a boolean before YAML 1.2.
var olderBooleans = regexp.MustCompile(`^(?i:y|n|yes|no|on|off)$`)

// refuse notes why the object stays unchanged.
func (c *conversion) refuse(at *yaml.Node, message string) {
	c.say(at, true, message)
	c.refused, c.why = true, c.notes[len(c.notes)-1]
}

// refusals returns the notes about an object that stays unchanged.
func (c *conversion) refusals() []Note {
	if !c.refused {
		return nil
	}
	c.why.Message = Stays + c.why.Message
	return []Note{c.why}
}

// drop removes a field that its mapping must not have, and notes why.
func (c *conversion) drop(mapping *yaml.Node, field, message string) {
	if key, value := take(mapping, field); key != nil && !isNull(value) {
		c.lose(key, value, message)
	}
}

// beCareful makes the result a dry-run: because of a loss, it would repair machines that were not repaired before.
// What cannot be a dry-run stays as it is.
func (c *conversion) beCareful() {
	if c.embedded && len(c.notes) > 0 {
		c.refused, c.why = true, c.notes[len(c.notes)-1]
	}
	if c.embedded {
		return
	}
	annotations := child(child(c.root, "metadata", 2), "annotations", end)
	take(annotations, mhcspec.DryRunAnnotation)
	value := text("true")
	value.Style, value.LineComment = yaml.DoubleQuotedStyle, "# remove it once what was not converted is as you want it"
	annotations.Content = append(annotations.Content, text(mhcspec.DryRunAnnotation), value)
}

// tellLosses writes the losses as a comment above an object.
func (c *conversion) tellLosses(object *yaml.Node) {
	if len(c.lost) == 0 {
		return
	}
	first := object.Content[0]
	lines := slices.Concat(strings.Split(first.HeadComment, "\n"), c.lost)
	first.HeadComment = strings.TrimPrefix(strings.Join(lines, "\n"), "\n")
}

// keepComments keeps the comments of nodes that were removed.
func (c *conversion) keepComments(before *yaml.Node, after []*yaml.Node) {
	kept := strings.Join(c.lost, "\n") + "\n" + encode(sequence(after...), true)
	for _, comment := range commentsIn(before) {
		if !strings.Contains(kept, comment) {
			c.lost = append(c.lost, comment)
		}
	}
}

// commentsIn returns the comment lines of a node.
func commentsIn(n *yaml.Node) (lines []string) {
	for _, comment := range []string{n.HeadComment, n.LineComment, n.FootComment} {
		for line := range strings.SplitSeq(comment, "\n") {
			if line = strings.TrimSpace(line); line != "" {
				lines = append(lines, line)
			}
		}
	}
	for _, child := range n.Content {
		lines = append(lines, commentsIn(child)...)
	}
	return lines
}

func oneLine(message string) string { return strings.Join(strings.Fields(message), " ") }
