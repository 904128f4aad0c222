package policies

import (
	"errors"
	"fmt"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"

	"github.com/sickbay-dev/sickbay/internal/annotationkeys"
)

// problems finds problems in objects of a kind. Each variable is a list of messages, which is empty if nothing is wrong.
type problems struct {
	kind      string
	variables []admissionv1.Variable
	names     []string
	err       error
}

const readAnnotations = "has(object.metadata.annotations) ? object.metadata.annotations : {}"

// let names an expression, for later expressions.
func (p *problems) let(name, expression string) {
	p.variables = append(p.variables, admissionv1.Variable{Name: name, Expression: expression})
}

// find adds a list of messages. An error fails the whole policy.
func (p *problems) find(name, expression string, err error) {
	p.err = errors.Join(p.err, err)
	p.let(name, expression)
	p.names = append(p.names, "variables."+name)
}

// when returns an expression for a list with one message, or none.
func when(condition, field, sentence string) string {
	return fmt.Sprintf("%s ?\n[%s + %s] : []", condition, literal(field+": "), sentence)
}

// annotations finds unknown annotations and invalid values.
func (p *problems) annotations(values []value) {
	p.let("annotations", readAnnotations)
	p.let("before", "oldObject != null && has(oldObject.metadata.annotations) ? oldObject.metadata.annotations : {}")
	// An old problem is no reason to reject a change of something else.
	p.let("changed", "variables.annotations.filter(key, !(key in variables.before) || variables.before[key] != variables.annotations[key])")
	p.unknown()
	for _, one := range values {
		p.value(one, "")
	}
}

// probe is a name that no annotation has, to get lint's message about unknown annotations.
const probe = annotationkeys.Prefix + "PROBE"

func (p *problems) unknown() {
	var known []string
	for _, one := range annotationkeys.On(p.kind) {
		known = append(known, one.Key)
	}
	sentence, err := said(p.document(probe, "x", ""), annotation(probe), "no such annotation")
	p.find("unknown", fmt.Sprintf("variables.changed.filter(key, key.startsWith('%s') && !(key in %s))\n.map(key, 'metadata.annotations[' + key + ']: ' + %s)",
		annotationkeys.Prefix, literals(known), literal(sentence)), err)
}

// value finds an annotation with an invalid value; unless is the condition under which it is not used.
func (p *problems) value(one value, unless string) {
	sentence, err := said(p.document(one.key, "?", ""), annotation(one.key), `"?"`)
	v := fmt.Sprintf("variables.annotations['%s']", one.key)
	// A longer value costs more than an API server allows.
	condition := fmt.Sprintf("'%s' in variables.changed%s && size(%s) <= 1000 && !(%s)", one.key, unless, v, strings.ReplaceAll(replaceV(one.valid), "\x00", v))
	p.find(variable(one.key), when(condition, annotation(one.key), spoken(sentence, `"?"`, quoted(v))), err)
}

// replaceV marks the places of v in an expression.
func replaceV(expression string) string {
	if rest, ok := strings.CutPrefix(expression, "v"); ok {
		return "\x00" + rest
	}
	return expression
}

func annotation(key string) string { return "metadata.annotations[" + key + "]" }

// variable returns the name of the variable for an annotation: maxInFlight for sickbay.dev/max-in-flight.
func variable(key string) string {
	words := strings.Split(key[strings.LastIndex(key, "/")+1:], "-")
	for i := range words[1:] {
		words[i+1] = strings.ToUpper(words[i+1][:1]) + words[i+1][1:]
	}
	return strings.Join(words, "")
}

// document returns an object of the kind with an annotation, as input for lint.
func (p *problems) document(key, value, spec string) string {
	metadata := fmt.Sprintf("metadata:\n  name: probe\n  annotations: {%s: %q}\n", key, value)
	if p.kind == annotationkeys.HealthCheck {
		return healthCheck(spec) + metadata
	}
	return fmt.Sprintf("apiVersion: cluster.x-k8s.io/v1beta2\nkind: %s\n", p.kind) + metadata
}

// healthCheck returns a MachineHealthCheck with additional spec fields.
func healthCheck(spec string) string {
	return "apiVersion: cluster.x-k8s.io/v1beta2\nkind: MachineHealthCheck\nspec:\n  clusterName: c\n  selector: {matchLabels: {a: b}}\n" + spec
}

// validation rejects objects with problems, and lists all of them.
func (p *problems) validation() admissionv1.Validation {
	return admissionv1.Validation{
		Expression:        "size(variables.problems) == 0",
		MessageExpression: "variables.problems.join('; ')",
	}
}

func (p *problems) all() []admissionv1.Variable {
	return append(p.variables, admissionv1.Variable{Name: "problems", Expression: strings.Join(p.names, " + ")})
}
