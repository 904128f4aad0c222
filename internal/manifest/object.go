package manifest

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	sigsyaml "sigs.k8s.io/yaml"
)

// Object is one API object in a document.
type Object struct {
	File string
	// Node is the object's mapping.
	Node *yaml.Node
	// Value is what the API server would get.
	Value map[string]any
	// Within is its place in the document, such as "items[3]"; empty for the whole document.
	Within string
}

// findObjects reads the document like the API server: through JSON, and with the older rules for booleans.
func (d *Document) findObjects() error {
	data, err := sigsyaml.YAMLToJSON([]byte(d.Text))
	if err != nil {
		return err
	}
	var value any
	if err := utiljson.Unmarshal(data, &value); err != nil {
		return err
	}
	fields, ok := value.(map[string]any)
	if !ok {
		if value != nil {
			return fmt.Errorf("line %d: it is not an object of the API", d.Root.Content[0].Line-d.Line+1)
		}
		return nil
	}
	node := Resolve(d.Root.Content[0])
	items, isList := fields["items"].([]any)
	if kind, _ := fields["kind"].(string); !isList || !strings.HasSuffix(kind, "List") {
		d.Objects = []Object{{File: d.File, Node: node, Value: fields}}
		return nil
	}
	list := Get(node, "items")
	if list == nil || len(list.Content) != len(items) {
		return fmt.Errorf("line %d: its items cannot be told apart", node.Line-d.Line+1)
	}
	for i, item := range list.Content {
		if fields, ok := items[i].(map[string]any); ok {
			d.Objects = append(d.Objects, Object{File: d.File, Node: Resolve(item), Value: fields, Within: fmt.Sprintf("items[%d]", i)})
		}
	}
	return nil
}

// Kind returns the kind that the object names.
func (o Object) Kind() schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(o.text("apiVersion"), o.text("kind"))
}

// Name returns the name of the object.
func (o Object) Name() string { return o.metadata("name") }

// Namespace returns the namespace that the object names.
func (o Object) Namespace() string { return o.metadata("namespace") }

// Title names the object for people.
func (o Object) Title() string {
	kind := o.text("kind")
	if kind == "" {
		kind = "an object without a kind"
	}
	return strings.TrimSpace(kind + " " + o.Name())
}

func (o Object) text(field string) string {
	text, _ := o.Value[field].(string)
	return text
}

func (o Object) metadata(field string) string {
	metadata, _ := o.Value["metadata"].(map[string]any)
	text, _ := metadata[field].(string)
	return text
}
