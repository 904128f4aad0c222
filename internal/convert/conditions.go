package convert

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/sickbay-dev/sickbay/internal/manifest"
)

// refusedConditions are the Machine conditions that Cluster API rejects: they follow from the verdict, or from what is done
// about it.
var refusedConditions = []string{"Ready", "Available", "HealthCheckSucceeded", "OwnerRemediated", "ExternallyRemediated"}

// oldTimeouts are earlier names for the timeout of a condition: in v1beta1, in a draft of v1beta2, and in NodeHealthChecks.
var oldTimeouts = []string{"timeout", "unhealthyTimeoutSeconds", "duration"}

// conditions converts a list of conditions to the current form.
func (c *conversion) conditions(group *yaml.Node, field string) {
	list := manifest.Get(group, field)
	if list == nil || isNull(list) {
		return
	}
	if list.Kind != yaml.SequenceNode {
		if c.changed {
			c.drop(group, field, "it is not a list")
		}
		return
	}
	kept := []*yaml.Node{}
	for _, item := range list.Content {
		if problem := c.condition(item, field == machineConditions); problem != "" {
			c.lose(nil, item, problem)
			continue
		}
		kept = append(kept, item)
	}
	list.Content = kept
}

// condition converts one condition to the current form, or says why it cannot.
func (c *conversion) condition(item *yaml.Node, ofMachine bool) (problem string) {
	if item.Kind != yaml.MappingNode {
		return "it is not a condition"
	}
	if kind := manifest.Get(item, "type"); ofMachine && kind != nil && slices.Contains(refusedConditions, kind.Value) {
		return fmt.Sprintf("Cluster API refuses Machine conditions of the type %s, which follow from the verdict itself; "+
			"InfrastructureReady, BootstrapConfigReady and NodeHealthy are some of those that it takes", kind.Value)
	}
	if status := manifest.Get(item, "status"); status != nil && status.ShortTag() == "!!bool" {
		status.Tag, status.Style, c.changed = "!!str", yaml.DoubleQuotedStyle, true
		status.Value = strings.ToUpper(status.Value[:1]) + strings.ToLower(status.Value[1:])
	}
	for _, old := range oldTimeouts {
		if problem := c.timeout(item, old); problem != "" {
			return problem
		}
	}
	return ""
}

// timeout converts the timeout of a condition or a step to its current name and unit.
func (c *conversion) timeout(item *yaml.Node, old string) (problem string) {
	i := manifest.Index(item, old)
	if i < 0 {
		return ""
	}
	if manifest.Index(item, timeoutSeconds) >= 0 {
		c.drop(item, old, "it has both this and timeoutSeconds, which is its name today")
		c.beCareful()
		return ""
	}
	made, err := c.seconds(item.Content[i+1], old == "unhealthyTimeoutSeconds")
	if err != nil {
		return "its " + old + " cannot be read: " + err.Error()
	}
	c.changed = true
	item.Content[i].Value, item.Content[i+1] = timeoutSeconds, made
	return ""
}
