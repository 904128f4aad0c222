package convert

import (
	"fmt"
	"regexp"
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
	oldConditions     = "unhealthyConditions"
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
	metadata := manifest.Get(c.root, "metadata")
	if metadata != nil && metadata.Kind != yaml.MappingNode {
		c.refuse(metadata, "it must have fields")
		return nil
	}
	if !c.wellFormed(spec) {
		return nil
	}
	for _, field := range []string{"name", "namespace", "labels", "annotations"} {
		c.quote(manifest.Get(metadata, field))
	}
	c.quote(manifest.Get(spec, "clusterName"))
	c.quote(manifest.Get(manifest.Get(spec, "selector"), "matchLabels"))
	return spec
}

// wellFormed rejects what should have fields and has none.
func (c *conversion) wellFormed(spec *yaml.Node) bool {
	if spec.Kind != yaml.MappingNode {
		c.refuse(spec, "it must have fields")
		return false
	}
	for _, path := range []string{checks, remediation, triggerIf, templateRef, remediation + "." + triggerIf, remediation + "." + templateRef} {
		if _, value, found := manifest.At(spec, path); found && value.Kind != yaml.MappingNode && !isNull(value) {
			c.refuse(value, "it must have fields")
			return false
		}
	}
	return true
}

// fields moves the fields of MachineHealthChecks to their current places.
func (c *conversion) fields(spec *yaml.Node) {
	for _, one := range []struct {
		old, group, field string
		convert           func(key, value *yaml.Node) *yaml.Node
	}{
		{triggerIf, remediation, triggerIf, nil},
		{templateRef, remediation, templateRef, c.template},
		{atMost, triggerIf, atMost, c.limit},
		{inRange, triggerIf, inRange, nil},
		{oldConditions, checks, nodeConditions, nil},
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
	c.rename(group, "nodeStartupTimeout", startupTimeout, c.startup)
	c.rename(group, oldConditions, nodeConditions, nil)
	c.conditions(group, nodeConditions)
	c.conditions(group, machineConditions)
	if c.changed {
		c.normalizeLimit(spec)
		c.dropNested(spec)
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
	c.put(parent, field, key, value, end)
}

// rename renames a field with an old name in its current place.
func (c *conversion) rename(group *yaml.Node, old, field string, convert func(key, value *yaml.Node) *yaml.Node) {
	key, value := take(group, old)
	if key == nil {
		return
	}
	c.changed = true
	if convert != nil {
		if value = convert(key, value); value == nil {
			return
		}
	}
	c.put(group, field, key, value, 0)
}

// put puts a value in its current field, unless something is there.
func (c *conversion) put(parent *yaml.Node, field string, key, value *yaml.Node, at int) {
	if i := manifest.Index(parent, field); i >= 0 {
		within := strings.TrimSuffix(c.paths[key], key.Value)
		c.lose(key, value, fmt.Sprintf("%s has both %s and %s", strings.TrimSuffix(within, "."), key.Value, strings.TrimPrefix(c.paths[parent.Content[i]], within)))
		c.beCareful()
		return
	}
	key.Value = field
	insert(parent, key, value, at)
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
func (c *conversion) dropUnknown(spec *yaml.Node, known ...string) {
	c.dropOthers(spec, slices.Concat(today, known)...)
}

// dropNested does the same below the spec.
func (c *conversion) dropNested(spec *yaml.Node) {
	group, rest := manifest.Get(spec, checks), manifest.Get(spec, remediation)
	c.dropOthers(group, nodeConditions, machineConditions, startupTimeout)
	for _, list := range []string{nodeConditions, machineConditions} {
		if items := manifest.Get(group, list); items != nil && items.Kind == yaml.SequenceNode {
			for _, item := range items.Content {
				c.dropOthers(item, "type", "status", timeoutSeconds)
			}
		}
	}
	c.dropOthers(manifest.Get(rest, triggerIf), atMost, inRange)
	if ref := manifest.Get(rest, templateRef); ref != nil && ref.Kind == yaml.MappingNode {
		c.onlyReference(ref)
	}
	known := []string{triggerIf, templateRef}
	if c.embedded {
		known = append(known, "maxInFlight")
	}
	c.dropOthers(rest, known...)
}

// dropOthers turns all but some fields of a mapping into comments.
func (c *conversion) dropOthers(of *yaml.Node, known ...string) {
	if of == nil || of.Kind != yaml.MappingNode {
		return
	}
	for _, field := range fieldsOf(of) {
		if slices.Contains(known, field) {
			continue
		}
		value := manifest.Get(of, field)
		c.drop(of, field, "a MachineHealthCheck has no such field")
		if strings.Contains(strings.ToLower(field), "template") || isLimit(value) || value.Kind == yaml.MappingNode && slices.ContainsFunc(value.Content, isLimit) {
			c.beCareful()
		}
	}
}

// limits matches what a limit on repairs looks like, whatever its field is called.
var limits = regexp.MustCompile(`^(\d+%?|\[\d+-\d+\])$`)

func isLimit(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && limits.MatchString(n.Value) }

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
