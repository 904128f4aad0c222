package manifest

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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
	// Within is its place in the document, such as "items[3]" or "spec.resources[0]"; empty for the whole document.
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
	whole := Object{File: d.File, Node: node, Value: fields}
	path := whole.holds()
	items, isList, _ := unstructured.NestedFieldNoCopy(fields, strings.Split(path, ".")...)
	if all, ok := items.([]any); path != "" && isList && ok {
		return d.findItems(node, path, all)
	}
	d.Objects = []Object{whole}
	return nil
}

// findItems reads the objects in a list of another one.
func (d *Document) findItems(node *yaml.Node, path string, items []any) error {
	_, list, found := At(node, path)
	if !found || len(list.Content) != len(items) {
		return fmt.Errorf("line %d: its items cannot be told apart", node.Line-d.Line+1)
	}
	for i, item := range list.Content {
		if fields, ok := items[i].(map[string]any); ok {
			d.Objects = append(d.Objects, Object{File: d.File, Node: Resolve(item), Value: fields, Within: fmt.Sprintf("%s[%d]", path, i)})
		}
	}
	return nil
}

// parameterized is the list of objects in a template of OpenShift.
const parameterized = "objects"

// wrappers are the kinds that hold other objects to apply, and where.
var wrappers = map[schema.GroupKind]string{
	{Group: "template.openshift.io", Kind: "Template"}:               parameterized,
	{Group: "hive.openshift.io", Kind: "SyncSet"}:                    "spec.resources",
	{Group: "hive.openshift.io", Kind: "SelectorSyncSet"}:            "spec.resources",
	{Group: "work.open-cluster-management.io", Kind: "ManifestWork"}: "spec.workload.manifests",
}

// holds returns where an object has a list of others; empty if it is none that has one.
func (o Object) holds() string {
	if strings.HasSuffix(o.text("kind"), "List") {
		return "items"
	}
	return wrappers[o.Kind().GroupKind()]
}

// TemplateIn returns what has to be filled in among the values of some nodes of the object; nil if there is nothing.
func (o Object) TemplateIn(nodes ...*yaml.Node) *Template {
	t := TemplateIn(o.File, nodes...)
	if t != nil {
		t.parameterized = strings.HasPrefix(o.Within, parameterized+"[")
	}
	return t
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
