package convert

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	apimachineryconversion "k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1beta1 "sigs.k8s.io/cluster-api/api/core/v1beta1" //nolint:staticcheck // The deprecated version is what is converted.
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/sickbay-dev/sickbay/internal/manifest"
)

// whole converts all of an object but its health checks as Cluster API does, and keeps what is the same as it was written. The health checks
// are converted already.
func (c *conversion) whole(all []owner) error {
	checks := map[string]*yaml.Node{}
	for _, one := range all {
		if _, value := take(one.node, embedded); value != nil {
			checks[one.path] = value
		}
	}
	take(c.root, "status")
	c.elsewhere(manifest.Get(c.root, "spec"))
	var root *yaml.Node
	var err error
	if c.kind.Kind == "Cluster" {
		root, err = converted(c, cluster, clusterv1beta1.Convert_v1beta2_Cluster_To_v1beta1_Cluster)
	} else {
		root, err = converted(c, clusterv1beta1.Convert_v1beta1_ClusterClass_To_v1beta2_ClusterClass, clusterv1beta1.Convert_v1beta2_ClusterClass_To_v1beta1_ClusterClass)
	}
	if err != nil {
		return err
	}
	set(root, "kind", c.kind.Kind)
	set(root, "apiVersion", clusterv1.GroupVersion.String())
	take(root, "status")
	take(manifest.Get(root, "metadata"), "creationTimestamp")
	graft(root, c.root)
	c.root = root
	for _, one := range owners(root, c.kind) {
		check := checks[one.path]
		if check == nil {
			continue
		}
		_, made := take(one.node, embedded)
		// A limit on the repairs in flight was part of the strategy.
		if limit := manifest.Get(manifest.Get(made, remediation), "maxInFlight"); limit != nil {
			insert(child(check, remediation, end), text("maxInFlight"), limit, end)
		}
		insert(one.node, text(embedded), check, end)
	}
	return nil
}

// elsewhere reports references into other namespaces, which v1beta2 does not have.
func (c *conversion) elsewhere(n *yaml.Node) {
	if manifest.Index(n, "kind") >= 0 && manifest.Index(n, "name") >= 0 && manifest.Index(n, "namespace") >= 0 {
		c.onlyReference(n)
	}
	for i := 0; n != nil && i < len(n.Content); i++ {
		if !isFree(n, i) {
			c.elsewhere(n.Content[i])
		}
	}
}

// isFree reports whether what a node has at an index is for users to define: variables or patches.
func isFree(n *yaml.Node, i int) bool {
	return n.Kind == yaml.MappingNode && i%2 == 1 && slices.Contains([]string{"variables", "patches"}, n.Content[i-1].Value)
}

// converter is one of Cluster API's conversions.
type converter[From, To any] func(*From, *To, apimachineryconversion.Scope) error

// converted reads an object strictly, converts it and reports what is not the same when it is converted back.
func converted[From, To any](c *conversion, there converter[From, To], back converter[To, From]) (*yaml.Node, error) {
	from, to, written, again := new(From), new(To), new(To), new(From)
	if err := sigsyaml.UnmarshalStrict([]byte(encode(c.root, true)), from); err != nil {
		return nil, fmt.Errorf("v1beta1 of Cluster API does not take it: %s", strings.TrimPrefix(err.Error(), "error unmarshaling JSON: "))
	}
	if err := there(from, to, nil); err != nil {
		return nil, err
	}
	made, err := nodeOf(to)
	if err != nil {
		return nil, err
	}
	// What is not written is lost, too.
	if err := sigsyaml.Unmarshal([]byte(encode(made, true)), written); err != nil {
		return nil, err
	}
	if err := back(written, again, nil); err != nil {
		return nil, err
	}
	before, err := runtime.DefaultUnstructuredConverter.ToUnstructured(from)
	if err != nil {
		return nil, err
	}
	after, err := runtime.DefaultUnstructuredConverter.ToUnstructured(again)
	if err != nil {
		return nil, err
	}
	key, spec, _ := manifest.At(c.root, "spec")
	c.compare(key, spec, before["spec"], after["spec"])
	return made, nil
}

// cluster converts a Cluster with its references, which Cluster API converts in its webhooks. It takes from the references what it converts:
// v1beta2 has no versions in them to convert back.
func cluster(from *clusterv1beta1.Cluster, to *clusterv1.Cluster, scope apimachineryconversion.Scope) error {
	if err := clusterv1beta1.Convert_v1beta1_Cluster_To_v1beta2_Cluster(from, to, scope); err != nil {
		return err
	}
	for _, one := range []struct {
		field string
		from  *corev1.ObjectReference
		to    *clusterv1.ContractVersionedObjectReference
	}{
		{"infrastructureRef", from.Spec.InfrastructureRef, &to.Spec.InfrastructureRef},
		{"controlPlaneRef", from.Spec.ControlPlaneRef, &to.Spec.ControlPlaneRef},
	} {
		if one.from == nil || *one.from == (corev1.ObjectReference{}) {
			continue
		}
		version, err := schema.ParseGroupVersion(one.from.APIVersion)
		if err != nil || version.Group == "" || one.from.Kind == "" || one.from.Name == "" {
			return fmt.Errorf("spec.%s needs an apiVersion with a group, a kind and a name", one.field)
		}
		*one.to = clusterv1.ContractVersionedObjectReference{APIGroup: version.Group, Kind: one.from.Kind, Name: one.from.Name}
		one.from.APIVersion, one.from.Kind, one.from.Name = "", "", ""
	}
	return nil
}

// compare reports which values of a node are not the same after a conversion. An object with another value stays as it is: it would do
// something else. A value that v1beta2 has no field for is lost.
func (c *conversion) compare(key, node *yaml.Node, before, after any) {
	switch before := before.(type) {
	case map[string]any:
		after, _ := after.(map[string]any)
		for i := 0; i+1 < len(node.Content); i += 2 {
			name := node.Content[i].Value
			c.compare(node.Content[i], node.Content[i+1], before[name], after[name])
		}
	case []any:
		after, _ := after.([]any)
		for i := range min(len(before), len(node.Content)) {
			var item any
			if i < len(after) {
				item = after[i]
			}
			c.compare(nil, node.Content[i], before[i], item)
		}
	default:
		switch {
		case before == nil || reflect.DeepEqual(before, after):
		case after == nil:
			c.lose(key, node, "v1beta2 of Cluster API does not have it")
		default:
			c.refuse(cmp.Or(key, node), fmt.Sprintf("v1beta2 of Cluster API cannot express %v, which would become %v", node.Value, after))
		}
	}
}

// nodeOf writes an object as nodes, which have no lines.
func nodeOf(object any) (*yaml.Node, error) {
	value, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil, err
	}
	data, err := sigsyaml.Marshal(value)
	if err != nil {
		return nil, err
	}
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, err
	}
	return without(document.Content[0]), nil
}

func without(n *yaml.Node) *yaml.Node {
	n.Line, n.Column = 0, 0
	for _, child := range n.Content {
		without(child)
	}
	return n
}

// graft puts what is the same as before in place of what was made, with its comments, its style, its lines and its order.
func graft(made, old *yaml.Node) {
	if made.Kind != old.Kind {
		return
	}
	switch made.Kind {
	case yaml.MappingNode:
		made.Style, made.Line, made.HeadComment, made.LineComment, made.FootComment = old.Style, old.Line, old.HeadComment, old.LineComment, old.FootComment
		graftFields(made, old)
	case yaml.SequenceNode:
		made.Style, made.HeadComment, made.LineComment, made.FootComment = old.Style, old.HeadComment, old.LineComment, old.FootComment
		for i := 0; i < len(made.Content) && len(made.Content) == len(old.Content); i++ {
			graft(made.Content[i], old.Content[i])
		}
	case yaml.ScalarNode:
		if made.Value == old.Value {
			*made = *old
		}
	default:
	}
}

// newNames are the names in v1beta2 of fields that hold the same as before, or a part of it.
var newNames = map[string]string{"ref": templateRef, "apiVersion": "apiGroup"}

// graftFields is graft for the fields of a mapping. What was not written and is false now means the same.
func graftFields(made, old *yaml.Node) {
	var ordered []*yaml.Node
	for i := 0; i+1 < len(old.Content); i += 2 {
		key := old.Content[i]
		_, value := take(made, key.Value)
		if name, renamed := newNames[key.Value]; value == nil && renamed {
			_, value = take(made, name)
			key.Value = name
		}
		if value != nil {
			graft(value, old.Content[i+1])
			ordered = append(ordered, key, value)
		}
	}
	for i := 0; i+1 < len(made.Content); i += 2 {
		if value := made.Content[i+1]; value.ShortTag() != "!!bool" || value.Value != "false" {
			ordered = append(ordered, made.Content[i], value)
		}
	}
	made.Content = ordered
}
