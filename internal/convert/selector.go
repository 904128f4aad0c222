package convert

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/manifest"
)

// Operators of a label selector.
const (
	in           = "In"
	exists       = "Exists"
	doesNotExist = "DoesNotExist"
)

// requirement is a requirement of a label selector.
type requirement struct {
	key, operator string
	values        []string
}

// equal returns the one value that a label must have.
func (r requirement) equal() (string, bool) {
	if r.operator == in && len(r.values) == 1 {
		return r.values[0], true
	}
	return "", false
}

// fate is what happens to a requirement.
type fate int

const (
	// same: Machines of Cluster API have this label.
	same fate = iota
	// renamed: they have another label for it.
	renamed
	// widened: they have another label for it, which other machines may have, too.
	widened
	// unknown: the label for it is not known.
	unknown
)

// translate translates a requirement for Machines of Cluster API, and says what happened to it.
type translate func(r requirement, cluster string) (requirement, fate)

// selector makes a selector select Machines of Cluster API. A selector that selects everything selects the whole cluster.
func (c *conversion) selector(spec *yaml.Node, cluster string, by translate) {
	selector := child(spec, "selector", 2)
	if selector.Kind != yaml.MappingNode {
		c.refuse(selector, "it must have fields")
		return
	}
	labels, expressions := manifest.Get(selector, "matchLabels"), manifest.Get(selector, "matchExpressions")
	if labels != nil && labels.Kind != yaml.MappingNode || expressions != nil && expressions.Kind != yaml.SequenceNode {
		c.refuse(selector, "it is not a label selector")
		return
	}
	if expressions != nil {
		for _, expression := range expressions.Content {
			c.expression(expression, cluster, by)
		}
	}
	// matchLabels may become expressions, so the expressions come first.
	for _, label := range fieldsOf(labels) {
		c.label(selector, label, cluster, by)
	}
	if expressions = manifest.Get(selector, "matchExpressions"); expressions != nil {
		expressions.Content = unique(expressions.Content)
	}
	prune(selector, "matchLabels", "matchExpressions")
	if len(selector.Content) == 0 {
		c.note(selector, "it selects everything: now all Machines of cluster "+cluster)
		selector.Style = 0
		selector.Content = []*yaml.Node{text("matchLabels"), mapping(text(clusterv1.ClusterNameLabel), text(cluster))}
	}
}

// label translates an entry of matchLabels. If the result is not a label with a value, it moves to matchExpressions.
func (c *conversion) label(selector *yaml.Node, label, cluster string, by translate) {
	labels := manifest.Get(selector, "matchLabels")
	i := manifest.Index(labels, label)
	key, value := labels.Content[i], labels.Content[i+1]
	to, fate := by(requirement{key: label, operator: in, values: []string{value.Value}}, cluster)
	switch fate {
	case same:
		return
	case unknown:
		c.unknownLabel(key, value)
		return
	case renamed, widened:
	}
	c.selectsBy(key, to, fate)
	old := value
	value = c.valueFor(to, value)
	if value == nil || manifest.Index(labels, to.key) >= 0 {
		take(labels, label)
		if value == nil {
			expressions := child(selector, "matchExpressions", end)
			if expressions.Kind == yaml.MappingNode {
				*expressions = *sequence()
			}
			made := to.node(key)
			made.Content[1].LineComment = old.LineComment
			expressions.Content = append(expressions.Content, made)
		}
		return
	}
	key.Value, labels.Content[i+1] = to.key, value
}

// selectsBy notes the result of a translation. If it may select more machines than before, the result is a dry-run.
func (c *conversion) selectsBy(key *yaml.Node, to requirement, fate fate) {
	message := "now selects by " + to.String()
	if fate == renamed {
		c.note(key, message)
		return
	}
	message += ", which may be more Machines than before; the MachineHealthCheck is a dry-run until you have looked at it"
	c.say(key, true, message)
	c.lost = append(c.lost, "# Not converted: "+c.paths[key]+": "+message)
	c.beCareful()
}

// valueFor returns the value of a label, if the requirement can be expressed with one. The control-plane label has an empty
// value.
func (c *conversion) valueFor(to requirement, old *yaml.Node) *yaml.Node {
	var value *yaml.Node
	if equal, ok := to.equal(); ok {
		value = text(equal)
	}
	if to.operator == exists && to.key == clusterv1.MachineControlPlaneLabel {
		value = text("")
		value.Style = yaml.DoubleQuotedStyle
	}
	if value != nil {
		c.replace(old, value)
	}
	return value
}

// expression translates an entry of matchExpressions in place.
func (c *conversion) expression(expression *yaml.Node, cluster string, by translate) {
	key, operator := manifest.Get(expression, "key"), manifest.Get(expression, "operator")
	if BrokenExpression(expression) != "" {
		return
	}
	from := requirement{key: key.Value, operator: operator.Value}
	if values := manifest.Get(expression, "values"); values != nil {
		for _, value := range values.Content {
			from.values = append(from.values, value.Value)
		}
	}
	to, fate := by(from, cluster)
	switch fate {
	case same:
		return
	case unknown:
		c.unknownLabel(nil, expression)
		return
	case renamed, widened:
	}
	c.selectsBy(key, to, fate)
	made := to.node(nil)
	made.Content[1].LineComment = key.LineComment
	expression.Content, expression.Style = made.Content, 0
}

// brokenExpressions reports entries of matchExpressions that no API server takes. They stay as they are, since nobody can know what they
// were to select.
func (c *conversion) brokenExpressions(spec *yaml.Node) {
	expressions := manifest.Get(manifest.Get(spec, "selector"), "matchExpressions")
	if expressions == nil || expressions.Kind != yaml.SequenceNode {
		return
	}
	for _, expression := range expressions.Content {
		if problem := BrokenExpression(expression); problem != "" {
			message := problem + "; it stays as it is, and the API server refuses it until you have corrected it"
			c.say(expression, true, message)
			c.lost = append(c.lost, "# Not converted: "+c.paths[expression]+": "+oneLine(message))
		}
	}
}

// BrokenExpression says why an entry of matchExpressions is none; empty if it is one.
func BrokenExpression(expression *yaml.Node) string {
	var requirement metav1.LabelSelectorRequirement
	if expression.Kind != yaml.MappingNode || expression.Decode(&requirement) != nil {
		return "it is not a requirement of a selector"
	}
	for _, field := range []string{"key", "operator"} {
		if value := manifest.Get(expression, field); value == nil || value.Kind != yaml.ScalarNode || isNull(value) || value.Value == "" {
			return "it has no " + field
		}
	}
	if _, err := metav1.LabelSelectorAsSelector(&metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{requirement}}); err != nil {
		return oneLine(err.Error())
	}
	return ""
}

// unknownLabel keeps a requirement unchanged. It may select other machines than before, so the result is a dry-run.
func (c *conversion) unknownLabel(key, value *yaml.Node) {
	at := key
	if at == nil {
		at = value
	}
	const message = "nobody can know which Machines of Cluster API have this label; it stays as it is, and the MachineHealthCheck is a dry-run until you have looked at it"
	c.say(at, true, message)
	c.lost = append(c.lost, "# Not converted: "+c.paths[at]+": "+message)
	c.beCareful()
}

// unique drops duplicate requirements: role and type have the same translation.
func unique(expressions []*yaml.Node) []*yaml.Node {
	var seen []string
	return slices.DeleteFunc(expressions, func(one *yaml.Node) bool {
		bare := *one
		bare.HeadComment, bare.LineComment, bare.FootComment = "", "", ""
		said := encode(&bare, true)
		known := slices.Contains(seen, said)
		seen = append(seen, said)
		return known
	})
}

// node returns the requirement as an entry of matchExpressions. It takes over the comments of a label.
func (r requirement) node(label *yaml.Node) *yaml.Node {
	made := mapping(text("key"), text(r.key), text("operator"), text(r.operator))
	if len(r.values) > 0 {
		values := sequence()
		for _, value := range r.values {
			values.Content = append(values.Content, text(value))
		}
		insert(made, text("values"), values, end)
	}
	if label != nil {
		made.HeadComment, made.FootComment, made.Line = label.HeadComment, label.FootComment, label.Line
	}
	return made
}

// String formats the requirement.
func (r requirement) String() string {
	if value, ok := r.equal(); ok {
		return r.key + "=" + value
	}
	switch r.operator {
	case exists:
		return r.key
	case doesNotExist:
		return "!" + r.key
	}
	return fmt.Sprintf("%s %s (%s)", r.key, strings.ToLower(r.operator), strings.Join(r.values, ","))
}

// inDomain reports whether a label belongs to a domain or to one below it.
func inDomain(label, domain string) bool {
	prefix, _, ok := strings.Cut(label, "/")
	return ok && (prefix == domain || strings.HasSuffix(prefix, "."+domain))
}
