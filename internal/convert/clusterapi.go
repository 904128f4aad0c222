package convert

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/manifest"
)

// The current names of fields.
const (
	checks            = "checks"
	nodeConditions    = "unhealthyNodeConditions"
	machineConditions = "unhealthyMachineConditions"
	startupTimeout    = "nodeStartupTimeoutSeconds"
	remediation       = "remediation"
	triggerIf         = "triggerIf"
	atMost            = "unhealthyLessThanOrEqualTo"
	inRange           = "unhealthyInRange"
	templateRef       = "templateRef"
	timeoutSeconds    = "timeoutSeconds"
)

// today lists the current fields of a spec.
var today = []string{"clusterName", "selector", checks, remediation}

// clusterAPI converts a MachineHealthCheck of Cluster API. It looks at the fields, not only at the version, since some
// manifests have old fields under a new version.
func (c *conversion) clusterAPI() []*yaml.Node {
	c.setVersion()
	spec := c.spec()
	if spec == nil {
		return nil
	}
	c.fields(spec)
	if !c.changed {
		return nil
	}
	c.dropUnknown(spec)
	c.dropServerFields()
	return []*yaml.Node{c.root}
}

// setVersion sets the version to Cluster API's v1beta2.
func (c *conversion) setVersion() {
	if c.kind.GroupVersion() != clusterv1.GroupVersion {
		set(c.root, "apiVersion", clusterv1.GroupVersion.String())
		c.changed = true
	}
}

// spec returns the spec, and rejects an object without one.
func (c *conversion) spec() *yaml.Node {
	spec := manifest.Get(c.root, "spec")
	if spec == nil || spec.Kind != yaml.MappingNode {
		c.refuse(c.root, "it has no spec")
		return nil
	}
	if metadata := manifest.Get(c.root, "metadata"); metadata != nil && metadata.Kind != yaml.MappingNode {
		c.refuse(metadata, "it must have fields")
		return nil
	}
	for _, path := range []string{checks, remediation, remediation + "." + triggerIf, remediation + "." + templateRef} {
		within, last, nested := strings.Cut(path, ".")
		if !nested {
			within, last = "", path
		}
		parent := spec
		if within != "" {
			parent = manifest.Get(spec, within)
		}
		if value := manifest.Get(parent, last); value != nil && value.Kind != yaml.MappingNode && !isNull(value) {
			c.refuse(value, "it must have fields")
			return nil
		}
	}
	return spec
}

// fields moves the fields of MachineHealthChecks to their current places.
func (c *conversion) fields(spec *yaml.Node) {
	for _, one := range []struct {
		old, group, field string
		convert           func(key, value *yaml.Node) *yaml.Node
	}{
		{"unhealthyConditions", checks, nodeConditions, nil},
		{nodeConditions, checks, nodeConditions, nil},
		{machineConditions, checks, machineConditions, nil},
		{"nodeStartupTimeout", checks, startupTimeout, c.startup},
		{startupTimeout, checks, startupTimeout, c.startup},
		{"maxUnhealthy", triggerIf, atMost, c.limit},
		{"unhealthyRange", triggerIf, inRange, nil},
		{"remediationTemplate", remediation, templateRef, c.template},
	} {
		c.move(spec, one.old, one.group, one.field, one.convert)
	}
	group := manifest.Get(spec, checks)
	c.renameStartup(group)
	c.conditions(group, nodeConditions)
	c.conditions(group, machineConditions)
	if c.changed {
		c.normalizeLimit(spec)
		prune(group, nodeConditions, machineConditions, startupTimeout)
		rest := manifest.Get(spec, remediation)
		prune(manifest.Get(rest, triggerIf), atMost, inRange)
		prune(rest, triggerIf, templateRef)
		prune(spec, checks, remediation)
		inOrder(spec)
	}
}

// move moves a field of the spec to its current place.
func (c *conversion) move(spec *yaml.Node, old, group, field string, convert func(key, value *yaml.Node) *yaml.Node) {
	at := manifest.Index(spec, old)
	if at < 0 {
		return
	}
	key, value := take(spec, old)
	c.changed = true
	if isNull(value) {
		return
	}
	if convert != nil {
		if value = convert(key, value); value == nil {
			return
		}
	}
	var parent *yaml.Node
	if group == triggerIf {
		parent = child(child(spec, remediation, at), triggerIf, 0)
	} else {
		parent = child(spec, group, at)
	}
	if manifest.Index(parent, field) >= 0 {
		c.lose(key, value, "spec has both this and "+field+", which is its name today")
		c.beCareful()
		return
	}
	key.Value = field
	insert(parent, key, value, end)
}

// renameStartup renames the field with the old name in its current place.
func (c *conversion) renameStartup(group *yaml.Node) {
	key, value := take(group, "nodeStartupTimeout")
	if key == nil {
		return
	}
	c.changed = true
	made := c.startup(key, value)
	if made == nil {
		return
	}
	if manifest.Index(group, startupTimeout) >= 0 {
		c.lose(key, value, "spec.checks has both this and "+startupTimeout+", which is its name today")
		c.beCareful()
		return
	}
	key.Value = startupTimeout
	insert(group, key, made, 0)
}

func (c *conversion) startup(key, value *yaml.Node) *yaml.Node {
	made, err := c.seconds(value, key.Value == startupTimeout)
	if err != nil {
		c.lose(key, value, err.Error()+"; without it, a Node may take 10m to appear")
		c.beCareful()
		return nil
	}
	return made
}

// limit unquotes a quoted number: OpenShift accepts it, and Cluster API does not.
func (c *conversion) limit(_, value *yaml.Node) *yaml.Node {
	if value.Kind == yaml.ScalarNode && value.ShortTag() == "!!str" && isDigits(value.Value) {
		value.Tag, value.Style = "!!int", 0
	}
	return value
}

func (c *conversion) normalizeLimit(spec *yaml.Node) {
	if value := manifest.Get(manifest.Get(manifest.Get(spec, remediation), triggerIf), atMost); value != nil {
		c.limit(nil, value)
	}
}

func isDigits(text string) bool {
	return len(text) > 0 && len(text) < 10 && strings.Trim(text, "0123456789") == "" && (text == "0" || text[0] != '0')
}

// dropUnknown turns unknown fields into comments: the API server would drop them, or reject the object.
func (c *conversion) dropUnknown(spec *yaml.Node) {
	for _, field := range fieldsOf(spec) {
		if !slices.Contains(today, field) {
			c.drop(spec, field, "a MachineHealthCheck has no such field")
		}
	}
}

// inOrder sorts the fields of a spec in the usual order, if some were moved.
func inOrder(spec *yaml.Node) {
	var sorted []*yaml.Node
	for _, field := range today {
		if key, value := take(spec, field); key != nil {
			sorted = append(sorted, key, value)
		}
	}
	spec.Content = append(sorted, spec.Content...)
}

func fieldsOf(m *yaml.Node) (fields []string) {
	for i := 0; m != nil && i+1 < len(m.Content); i += 2 {
		fields = append(fields, m.Content[i].Value)
	}
	return fields
}
