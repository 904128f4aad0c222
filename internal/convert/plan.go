package convert

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/manifest"
)

const (
	// longest is how long an attempt of a step may take, in seconds.
	longest = 604800
	// mostSteps is how many steps a plan may have.
	mostSteps = 16
	// longestProbation is the longest probation of a plan, in seconds.
	longestProbation = 86400
)

// plan makes a MachineRemediationTemplate from the remediations of a NodeHealthCheck, and makes the MachineHealthCheck name
// it.
func (c *conversion) plan(spec *yaml.Node, name string) *yaml.Node {
	steps := c.steps(spec)
	if len(steps.Content) == 0 {
		c.say(spec, true, "it names no template to remediate with that could be used; the MachineHealthCheck is a dry-run, as it would replace machines")
		c.beCareful()
		c.drop(spec, "healthyDelay", "there is no plan that it could be in")
		return nil
	}
	rest := mapping(text("steps"), steps)
	c.probation(spec, rest)
	insert(rest, text("relapseWindowSeconds"), commented(number(0), "# a NodeHealthCheck remembers nothing; without this line Sickbay does, for a week"), end)
	metadata := mapping(text("name"), text(name))
	if namespace := manifest.Get(manifest.Get(c.root, "metadata"), "namespace"); namespace != nil {
		insert(metadata, text("namespace"), text(namespace.Value), end)
	}
	insert(spec, text(remediation), mapping(text(templateRef), mapping(
		text("apiVersion"), text(planGroup.String()), text("kind"), text(planKind), text("name"), text(name))), end)
	return mapping(
		text("apiVersion"), text(planGroup.String()), text("kind"), text(planKind), text("metadata"), metadata,
		text("spec"), mapping(text("template"), mapping(text("spec"), rest)))
}

// probation converts how long a NodeHealthCheck waits until a Node counts as healthy again.
func (c *conversion) probation(spec, plan *yaml.Node) {
	key, value := take(spec, "healthyDelay")
	delay := commented(number(0), "# a NodeHealthCheck has none without healthyDelay; without this line Sickbay has 300")
	if key != nil && !isNull(value) {
		made, err := c.seconds(value, false)
		switch {
		case strings.HasPrefix(value.Value, "-"):
			c.lose(key, value, "Sickbay takes a machine that is healthy for healthy; a step with approval Required waits for a person before it acts")
		case err != nil:
			c.lose(key, value, err.Error())
		default:
			delay = c.atMost(key, made, longestProbation)
		}
	}
	insert(plan, text("probationSeconds"), delay, end)
}

// atMost reduces a number of seconds to what the API accepts.
func (c *conversion) atMost(key, seconds *yaml.Node, most int64) *yaml.Node {
	if n, err := strconv.ParseInt(seconds.Value, 10, 64); err == nil && n > most {
		c.say(key, true, fmt.Sprintf("%d seconds are more than a plan may have; it has %d", n, most))
		seconds.Value = strconv.FormatInt(most, 10)
	}
	return seconds
}

// steps returns the steps of the plan, in order.
func (c *conversion) steps(spec *yaml.Node) *yaml.Node {
	steps := sequence()
	c.oneWay(spec)
	if key, ref := take(spec, "remediationTemplate"); key != nil && !isNull(ref) {
		c.note(key, "a NodeHealthCheck waits for ever; the step of the plan gives up after a week")
		step := mapping(key, ref, text(timeoutSeconds), number(longest))
		steps.Content = append(steps.Content, step)
	}
	key, escalating := take(spec, "escalatingRemediations")
	if key != nil && escalating.Kind == yaml.SequenceNode {
		slices.SortStableFunc(escalating.Content, func(a, b *yaml.Node) int { return order(a) - order(b) })
		steps.HeadComment, steps.FootComment = key.HeadComment, escalating.FootComment
		steps.Content = append(steps.Content, escalating.Content...)
	} else if key != nil && !isNull(escalating) {
		c.lose(key, escalating, "it is not a list")
	}
	var names []string
	kept := steps.Content[:0]
	for i, step := range steps.Content {
		problem := "a plan has at most " + strconv.Itoa(mostSteps) + " steps"
		if i < mostSteps {
			problem = c.step(step, &names)
		}
		if problem != "" {
			// The steps after it would begin earlier.
			c.loseStep(step, problem)
			c.beCareful()
			continue
		}
		kept = append(kept, step)
	}
	steps.Content = kept
	return steps
}

// loseStep reports a remediation that is no step of the plan. One without an order is quoted as it was written.
func (c *conversion) loseStep(step *yaml.Node, problem string) {
	if c.paths[step] == "" && len(step.Content) > 1 && c.paths[step.Content[0]] != "" {
		c.lose(step.Content[0], step.Content[1], problem)
		return
	}
	c.lose(nil, step, problem)
}

// oneWay keeps one of two ways to remediate: medik8s wants only one.
func (c *conversion) oneWay(spec *yaml.Node) {
	ref, list := manifest.Get(spec, "remediationTemplate"), manifest.Get(spec, "escalatingRemediations")
	if ref != nil && list != nil && !isNull(ref) && len(list.Content) > 0 {
		c.drop(spec, "remediationTemplate", "spec has both remediationTemplate and escalatingRemediations")
		c.beCareful()
	}
}

func order(remediation *yaml.Node) int {
	if n := manifest.Get(remediation, "order"); n != nil {
		value, _ := strconv.ParseInt(n.Value, 0, 32)
		return int(value)
	}
	return 0
}

// step converts a remediation to a step of the plan, or says why it cannot.
func (c *conversion) step(step *yaml.Node, names *[]string) (problem string) {
	ref := manifest.Get(step, "remediationTemplate")
	if ref == nil || ref.Kind != yaml.MappingNode {
		return "it names no template"
	}
	if problem := badReference(ref); problem != "" {
		return problem
	}
	kind := manifest.Get(ref, "kind").Value
	action, problem := c.action(ref, kind)
	if problem != "" {
		return problem
	}
	if problem := c.timeout(step, "timeout"); problem != "" {
		return problem
	}
	limit := manifest.Get(step, timeoutSeconds)
	if limit == nil || limit.Value == "0" {
		return "it has no timeout"
	}
	c.atMost(limit, limit, longest)
	keyOrder, valueOrder := take(step, "order")
	keyRef, _ := take(step, "remediationTemplate")
	for _, field := range fieldsOf(step) {
		if field != timeoutSeconds {
			c.drop(step, field, "a step has no such field")
		}
	}
	name := text(freeName(stepName(kind), names))
	keepComments(name, keyOrder, valueOrder)
	insert(step, text("name"), name, 0)
	insert(step, text("action"), text(string(action)), 2)
	keyRef.Value = templateRef
	if action == v1alpha1.ActionReplace {
		if c.byName {
			// If the names differ, the step before does not help, and machines are replaced unnecessarily.
			c.beCareful()
		}
		c.note(keyRef, "Sickbay's own Replace does the same as "+strings.TrimSuffix(kind, "Template"))
		return ""
	}
	c.onlyReference(ref)
	insert(step, keyRef, ref, 4)
	return ""
}

// action returns the action of a step that makes requests from a template.
func (c *conversion) action(ref *yaml.Node, kind string) (action v1alpha1.Action, problem string) {
	group, _, _ := strings.Cut(manifest.Get(ref, "apiVersion").Value, "/")
	switch {
	case !strings.HasSuffix(kind, "Template") || kind == "Template":
		return "", "a template must be of a kind that ends in Template"
	case group == planGroup.Group && kind == "RebootRemediationTemplate":
		return v1alpha1.ActionReboot, ""
	case group == planGroup.Group:
		return "", "a plan cannot have another plan as a step"
	case kind == "MachineDeletionRemediationTemplate":
		return v1alpha1.ActionReplace, ""
	case strings.HasSuffix(group, "medik8s.io"):
		c.byName = true
		c.say(manifest.Get(ref, "kind"), true, strings.TrimSuffix(kind, "Template")+
			" is for the Node of its own name, and Sickbay names it after the Machine; it helps only where Machines and Nodes have the same names")
	}
	return v1alpha1.ActionRequest, ""
}

// stepName turns SelfNodeRemediationTemplate into self-node-remediation.
func stepName(kind string) string {
	var name strings.Builder
	previous := 'A'
	for _, r := range strings.TrimSuffix(kind, "Template") {
		if unicode.IsUpper(r) && !unicode.IsUpper(previous) && previous != '-' {
			name.WriteByte('-')
		}
		name.WriteRune(unicode.ToLower(r))
		previous = r
	}
	return strings.Trim(name.String()[:min(name.Len(), 50)], "-")
}

// freeName makes a name unique among the steps.
func freeName(name string, names *[]string) string {
	free := name
	for n := 2; slices.Contains(*names, free); n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	*names = append(*names, free)
	return free
}

// keepComments copies the comments of a removed field to the new one.
func keepComments(made, key, value *yaml.Node) {
	if key == nil {
		return
	}
	made.HeadComment, made.FootComment = key.HeadComment, key.FootComment
	made.LineComment = value.LineComment
}
