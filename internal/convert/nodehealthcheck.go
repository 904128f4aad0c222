package convert

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/manifest"
)

// nodeHealthCheck converts a NodeHealthCheck of medik8s to a plan and a MachineHealthCheck. A NodeHealthCheck selects Nodes of
// its own cluster only.
func (c *conversion) nodeHealthCheck() []*yaml.Node {
	spec := c.spec()
	if spec == nil {
		return nil
	}
	if c.options.Cluster == "" {
		c.refuse(c.root, "it names no cluster; give --cluster NAME")
		return nil
	}
	metadata := manifest.Get(c.root, "metadata")
	name := manifest.Get(metadata, "name")
	if name == nil || !refName.MatchString(name.Value) {
		c.refuse(c.root, "it has no name that its plan could have")
		return nil
	}
	c.setVersion()
	set(c.root, "kind", "MachineHealthCheck")
	if c.options.Namespace != "" {
		take(metadata, "namespace")
		insert(metadata, text("namespace"), text(c.options.Namespace), manifest.Index(metadata, "name")+2)
	}
	c.setCluster(spec, c.options.Cluster)
	for _, field := range []string{checks, remediation, triggerIf, templateRef, "nodeStartupTimeout", startupTimeout} {
		c.drop(spec, field, "a NodeHealthCheck has no such field")
	}
	c.selector(spec, c.options.Cluster, nodeLabels(wantsControlPlane(spec)))
	plan := c.plan(spec, name.Value)
	c.defaultConditions(spec)
	c.healthy(spec)
	c.fields(spec)
	insert(child(spec, checks, end), text(startupTimeout), commented(number(0), "# a NodeHealthCheck looks at Nodes that there are"), 0)
	c.pauses(spec)
	c.drop(spec, "stormCooldownDuration", "Sickbay repairs as soon as the limit allows it; pacing in the plan slows it down where repairs turn out in vain")
	c.dropUnknown(spec)
	c.dropServerFields()
	if plan == nil {
		return []*yaml.Node{c.root}
	}
	return []*yaml.Node{plan, c.root}
}

// nodeRoles is the domain of the labels for the roles of a Node.
const nodeRoles = "node-role.kubernetes.io"

// nodeLabels translates labels of Nodes to labels of their Machines. In a control plane, no label of Machines says which are workers as well.
func nodeLabels(controlPlane bool) translate {
	return func(r requirement, _ string) (requirement, fate) {
		if controlPlane && r.key == nodeRoles+"/worker" {
			return r, unknown
		}
		return nodeLabel(r)
	}
}

// wantsControlPlane reports whether a selector wants Nodes of the control plane.
func wantsControlPlane(spec *yaml.Node) bool {
	selector := manifest.Get(spec, "selector")
	labels, expressions := manifest.Get(selector, "matchLabels"), manifest.Get(selector, "matchExpressions")
	if slices.ContainsFunc(fieldsOf(labels), isControlPlane) {
		return true
	}
	return expressions != nil && slices.ContainsFunc(expressions.Content, func(one *yaml.Node) bool {
		key, operator := manifest.Get(one, "key"), manifest.Get(one, "operator")
		return key != nil && isControlPlane(key.Value) && operator != nil && operator.Value != doesNotExist
	})
}

func isControlPlane(label string) bool {
	return label == nodeRoles+"/control-plane" || label == nodeRoles+"/master"
}

// nodeLabel translates one label. Cluster API copies some labels of a Machine to its Node.
func nodeLabel(r requirement) (requirement, fate) {
	value, equal := r.equal()
	there, absent := r.operator == exists || equal && value == "", r.operator == doesNotExist
	controlPlane := isControlPlane(r.key)
	worker := r.key == nodeRoles+"/worker"
	switch {
	case controlPlane && there:
		return requirement{key: clusterv1.MachineControlPlaneLabel, operator: exists}, renamed
	case controlPlane && absent:
		return requirement{key: clusterv1.MachineControlPlaneLabel, operator: doesNotExist}, renamed
	case worker && there:
		return requirement{key: clusterv1.MachineControlPlaneLabel, operator: doesNotExist}, widened
	case controlPlane, worker:
		return r, unknown
	}
	return r, copied(r)
}

// copied says what becomes of a requirement on a label that Cluster API may copy from Machines to Nodes. It never copies one back, so a Machine may
// lack what its Node has.
func copied(r requirement) fate {
	selects := r.operator == exists || r.operator == in
	if selects && slices.ContainsFunc([]string{nodeRoles, "node-restriction.kubernetes.io", clusterv1.ManagedNodeLabelDomain}, func(domain string) bool { return inDomain(r.key, domain) }) {
		return same
	}
	return unknown
}

// defaultConditions adds the default conditions of a NodeHealthCheck if it has none.
func (c *conversion) defaultConditions(spec *yaml.Node) {
	if list := manifest.Get(spec, "unhealthyConditions"); list != nil && !isNull(list) {
		return
	}
	take(spec, "unhealthyConditions")
	list := sequence()
	for _, status := range []string{"False", "Unknown"} {
		quoted := text(status)
		if status == "False" {
			quoted.Style = yaml.DoubleQuotedStyle
		}
		list.Content = append(list.Content, mapping(text("type"), text("Ready"), text("status"), quoted, text(timeoutSeconds), number(300)))
	}
	insert(child(spec, checks, 4), text(nodeConditions), list, end)
}

// healthy converts minHealthy to a limit on unhealthy machines. A percentage is rounded up there, so the rest is rounded down,
// as in Cluster API.
func (c *conversion) healthy(spec *yaml.Node) {
	defaultLimit(spec)
	if limit := manifest.Get(spec, "maxUnhealthy"); limit != nil && c.paths[limit] != "" && strings.HasSuffix(limit.Value, "%") {
		c.note(limit, "a NodeHealthCheck rounds it up, and a MachineHealthCheck rounds it down")
	}
	i := manifest.Index(spec, "minHealthy")
	if i < 0 {
		return
	}
	key, value := take(spec, "minHealthy")
	percent, ok := strings.CutSuffix(value.Value, "%")
	n, err := strconv.Atoi(percent)
	switch {
	case manifest.Index(spec, "maxUnhealthy") >= 0:
		c.lose(key, value, "spec has both minHealthy and maxUnhealthy")
	case err != nil || n < 0 || n > 100 || !ok && n > 0:
		c.lose(key, value, "a MachineHealthCheck limits how many may be unhealthy, and only a percentage can be turned around; "+
			"it is a dry-run until you have set spec.remediation.triggerIf.unhealthyLessThanOrEqualTo")
		c.beCareful()
	default:
		most := text(strconv.Itoa(100-n) + "%")
		c.replace(value, most)
		key.Value = "maxUnhealthy"
		c.paths[key] = "spec.minHealthy"
		insert(spec, key, most, i)
	}
}

// defaultLimit adds the default limit of a NodeHealthCheck if it has none. A MachineHealthCheck without one has no limit at all.
func defaultLimit(spec *yaml.Node) {
	for _, field := range []string{"minHealthy", "maxUnhealthy"} {
		if limit := manifest.Get(spec, field); limit == nil || !isNull(limit) {
			continue
		}
		take(spec, field)
	}
	if manifest.Index(spec, "minHealthy") < 0 && manifest.Index(spec, "maxUnhealthy") < 0 {
		insert(spec, text("maxUnhealthy"), commented(text("49%"), "# a NodeHealthCheck without a limit had minHealthy: 51% before 0.10"), end)
	}
}

// pauses pauses the MachineHealthCheck if the NodeHealthCheck is paused.
func (c *conversion) pauses(spec *yaml.Node) {
	key, value := take(spec, "pauseRequests")
	if key == nil || isNull(value) || len(value.Content) == 0 {
		return
	}
	var reasons []string
	for _, one := range value.Content {
		reasons = append(reasons, one.Value)
	}
	annotations := child(child(c.root, "metadata", 2), "annotations", end)
	take(annotations, clusterv1.PausedAnnotation)
	paused := text("pauseRequests: " + strings.Join(reasons, ", "))
	c.replace(value, paused)
	insert(annotations, text(clusterv1.PausedAnnotation), paused, end)
	c.note(key, "becomes the annotation "+clusterv1.PausedAnnotation+", which also stops repairs that have begun")
}

func commented(n *yaml.Node, comment string) *yaml.Node {
	n.LineComment = comment
	return n
}

// planGroup and planKind identify the kind of a plan.
var planGroup, planKind = v1alpha1.GroupVersion, "MachineRemediationTemplate"
