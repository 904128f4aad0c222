package lint

import (
	"fmt"
	"slices"
	"strings"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/rules"
)

// plan checks one plan.
func (l *linter) plan(p *plan) error {
	spec := p.template.Spec.Template.Spec
	if err := l.rules(p); err != nil {
		return err
	}
	replace, reboot := first(spec.Steps, v1alpha1.ActionReplace), first(spec.Steps, v1alpha1.ActionReboot)
	if replace >= 0 && reboot > replace {
		l.add(p.find(Warning, fmt.Sprintf("%s[%d]", fieldSteps, replace), fmt.Sprintf(
			"step %s replaces the machine, which wipes its disks, before step %s tries a reboot", spec.Steps[replace].Name, spec.Steps[reboot].Name)))
	}
	if hold := first(spec.Steps, v1alpha1.ActionHold); hold >= 0 && hold < len(spec.Steps)-1 {
		l.add(p.find(Warning, fmt.Sprintf("%s[%d]", fieldSteps, hold), fmt.Sprintf(
			"the plan stops at step %s, and what comes after it is done only if a person asks for it", spec.Steps[hold].Name)))
	}
	l.planKinds(p)
	return nil
}

// rules finds everything that is wrong with the rules of a plan.
func (l *linter) rules(p *plan) error {
	spec := p.template.Spec.Template.Spec
	for i := range spec.Rules {
		field := fmt.Sprintf("spec.template.spec.rules[%d].expression", i)
		problems, err := rules.Problems(&spec, &spec.Rules[i])
		if err != nil {
			return err
		}
		for _, problem := range problems {
			l.add(p.find(Error, field, problem.Error()))
		}
		alone := spec
		alone.Rules = spec.Rules[i : i+1]
		if compiled, err := rules.Compile(&alone); err == nil {
			l.labels(p, field, spec.Rules[i].Name, compiled.Labels())
		}
	}
	return nil
}

// labels warns of labels that a rule names, and that no Machine has: they are often misspelt.
func (l *linter) labels(p *plan, field, rule string, named []string) {
	if l.fleet == nil {
		return
	}
	namespace, machines := l.namespace(p.template.Namespace), 0
	has := map[string]bool{}
	for i := range l.fleet.Machines {
		if machine := &l.fleet.Machines[i]; machine.Namespace == namespace {
			machines++
			for key := range machine.Labels {
				has[key] = true
			}
		}
	}
	for _, key := range named {
		if machines > 0 && !has[key] {
			l.add(p.find(Warning, field, fmt.Sprintf("rule %s is about the label %s, which no Machine in namespace %s has: correct the label, or put it on the Machines",
				rule, key, namespace)))
		}
	}
}

// first returns the index of the first step with an action, or -1.
func first(steps []v1alpha1.RemediationStep, action v1alpha1.Action) int {
	return slices.IndexFunc(steps, func(s v1alpha1.RemediationStep) bool { return s.Action == action })
}

// metal is the kind of a bare-metal infrastructure machine.
const metal = "Metal3Machine"

// diskless warns if bare-metal machines are replaced, which wipes their disks, before a reboot is tried.
func (l *linter) diskless(c *check) {
	selected, _ := l.selected(c)
	host := slices.IndexFunc(selected, func(m *clusterv1.Machine) bool { return m.Spec.InfrastructureRef.Kind == metal })
	if host < 0 || c.template == nil && mhcspec.NamesPlan(&c.mhc) {
		return
	}
	config, _ := mhcspec.ParseConfig(&c.mhc, c.template)
	if config.OnlyReports() {
		return
	}
	field, steps := fieldTemplate, admission.BuiltInPlan(&c.mhc, config, v1alpha1.RebootSettings{})
	advice := "the annotation " + mhcspec.StrategyAnnotation + ": reboot, or a plan with a step Reboot, keeps them"
	if c.template != nil {
		steps, advice = c.template.Spec.Template.Spec.Steps, "put a step Reboot before it, or have a person approve it"
	}
	if !c.mhc.Spec.Remediation.TemplateRef.IsDefined() {
		field = fieldRemediation
	}
	i := first(steps, v1alpha1.ActionReplace)
	if i < 0 || first(steps[:i], v1alpha1.ActionReboot) >= 0 || approved(c.template, steps[i]) {
		return
	}
	l.add(c.find(Warning, field, fmt.Sprintf("%s runs on bare metal, and is replaced before anything else is tried, which wipes its disks; %s",
		selected[host].Name, advice)))
}

// approved reports whether a step needs a person's approval.
func approved(template *v1alpha1.MachineRemediationTemplate, step v1alpha1.RemediationStep) bool {
	return step.NeedsApproval() || template != nil && template.Spec.Template.Spec.EffectiveMode() == v1alpha1.ModeApprove
}

// nodeHealthCheck finds what medik8s rejects although its schema allows it.
func (l *linter) nodeHealthCheck(c *check) {
	own := place{obj: c.obj, node: c.obj.Node}
	spec := fields(c.obj.Value["spec"])
	has := func(field string) bool { return spec[field] != nil }
	escalating, _ := spec["escalatingRemediations"].([]any)
	if emptySelector(c.obj.Value) {
		l.add(own.find(Error, fieldSelector, "medik8s takes no new NodeHealthCheck with an empty selector, which selects control plane and workers under one limit"))
	}
	if has("minHealthy") == has("maxUnhealthy") {
		l.add(own.find(Error, "spec.minHealthy", "medik8s wants one of minHealthy and maxUnhealthy"))
	}
	if has("remediationTemplate") == (len(escalating) > 0) {
		l.add(own.find(Error, "spec.escalatingRemediations", "medik8s wants one of remediationTemplate and escalatingRemediations"))
	}
	orders, kinds := map[string]bool{}, map[string]bool{}
	for i, item := range escalating {
		one := fields(item)
		ref := fields(one["remediationTemplate"])
		field := fmt.Sprintf("spec.escalatingRemediations[%d].", i)
		l.escalation(own, field, one, ref, orders, kinds)
		if has("maxUnhealthy") && deletes(ref) {
			l.add(own.find(Error, field+"remediationTemplate", "medik8s does not accept MachineDeletionRemediation with maxUnhealthy"))
		}
		orders[fmt.Sprint(one["order"])], kinds[fmt.Sprint(ref["kind"])] = true, true
	}
	if has("maxUnhealthy") && deletes(fields(spec["remediationTemplate"])) {
		l.add(own.find(Error, "spec.remediationTemplate", "medik8s does not accept MachineDeletionRemediation with maxUnhealthy"))
	}
}

// deletes reports whether a template deletes Machines, so that nobody counts them as unhealthy.
func deletes(ref map[string]any) bool {
	kind, _ := ref["kind"].(string)
	return strings.EqualFold(kind, "MachineDeletionRemediationTemplate")
}

func (l *linter) escalation(own place, field string, one, ref map[string]any, orders, kinds map[string]bool) {
	if orders[fmt.Sprint(one["order"])] {
		l.add(own.find(Error, field+"order", fmt.Sprintf("another one has the order %v", one["order"])))
	}
	if kinds[fmt.Sprint(ref["kind"])] {
		l.add(own.find(Warning, field+"remediationTemplate.kind", fmt.Sprintf("medik8s takes %v twice only where its templates are annotated for that", ref["kind"])))
	}
	if text, _ := one["timeout"].(string); tooShort(text) {
		l.add(own.find(Error, field+"timeout", fmt.Sprintf("it is %s: medik8s wants 60s or more", text)))
	}
}

func tooShort(timeout string) bool {
	d, err := time.ParseDuration(timeout)
	return err == nil && d < time.Minute
}

// findPlans sets the plan that each check names, from the files or from the fleet.
func (l *linter) findPlans() {
	for i := range l.checks {
		c := &l.checks[i]
		if c.template != nil || !mhcspec.NamesPlan(&c.mhc) {
			continue
		}
		name := c.mhc.Spec.Remediation.TemplateRef.Name
		for _, p := range l.allPlans() {
			if p.Name == name && l.namespace(p.Namespace) == l.namespace(c.mhc.Namespace) {
				c.template = &p
				break
			}
		}
		switch {
		case c.template != nil:
		case l.fleet != nil:
			l.add(c.find(Warning, "spec.remediation.templateRef", fmt.Sprintf("MachineRemediationTemplate %s does not exist; nothing is repaired until it does", name)))
		default:
			l.unchecked = append(l.unchecked, fmt.Sprintf("whether MachineRemediationTemplate %s exists, and what it does (--live reads it)", name))
		}
	}
}

func (l *linter) allPlans() (all []v1alpha1.MachineRemediationTemplate) {
	for i := range l.plans {
		all = append(all, l.plans[i].template)
	}
	if l.fleet != nil {
		all = append(all, l.fleet.Plans...)
	}
	return all
}
