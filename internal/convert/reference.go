package convert

import (
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/sickbay-dev/sickbay/internal/manifest"
)

// What the API accepts for the parts of a reference.
var (
	refAPIVersion = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/[a-z]([-a-z0-9]*[a-z0-9])?$`)
	refKind       = regexp.MustCompile(`^[a-zA-Z]([-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?$`)
	refName       = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
)

// badReference says why a reference to a template is invalid; empty if it is valid.
func badReference(ref *yaml.Node) string {
	for _, one := range []struct {
		field string
		takes *regexp.Regexp
		most  int
	}{{"apiVersion", refAPIVersion, 317}, {"kind", refKind, 63}, {"name", refName, 253}} {
		value := manifest.Get(ref, one.field)
		if value == nil || value.Kind != yaml.ScalarNode || len(value.Value) > one.most || !one.takes.MatchString(value.Value) {
			return "a template needs an apiVersion with a group, a kind and a name"
		}
	}
	return ""
}

// template converts a reference to its current form. If it were dropped, the machines would be replaced instead.
func (c *conversion) template(key, value *yaml.Node) *yaml.Node {
	if value.Kind != yaml.MappingNode {
		c.lose(key, value, "it is not a reference")
		c.beCareful()
		return nil
	}
	if problem := badReference(value); problem != "" {
		c.lose(key, value, problem)
		c.beCareful()
		return nil
	}
	c.onlyReference(value)
	return value
}

// onlyReference keeps only the current fields of a reference. Its namespace is the namespace of the object.
func (c *conversion) onlyReference(ref *yaml.Node) {
	own, kind := c.options.Namespace, "MachineHealthCheck"
	if c.embedded {
		kind = c.kind.Kind
	}
	if namespace := manifest.Get(manifest.Get(c.root, "metadata"), "namespace"); namespace != nil {
		own = namespace.Value
	}
	for _, field := range fieldsOf(ref) {
		switch {
		case slices.Contains([]string{"apiVersion", "kind", "name"}, field):
		case field == "namespace" && manifest.Get(ref, field).Value == own:
			take(ref, field)
		case field == "namespace":
			c.drop(ref, field, "a template is looked for in the namespace of the "+kind)
		default:
			c.drop(ref, field, "a reference has only apiVersion, kind and name")
		}
	}
}
