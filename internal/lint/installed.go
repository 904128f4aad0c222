package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
)

// planKinds warns of steps whose kinds are not installed.
func (l *linter) planKinds(p *plan) {
	for i, step := range p.template.Spec.Template.Spec.Steps {
		field := "action"
		if step.TemplateRef != nil {
			field = "templateRef"
		}
		l.kinds(p.place, fmt.Sprintf("%s[%d].%s", fieldSteps, i, field), step)
	}
}

// checkKinds is planKinds for the steps that a check asks for without a plan of the files.
func (l *linter) checkKinds(c *check) {
	config, _ := mhcspec.ParseConfig(&c.mhc, c.template)
	if config.OnlyReports() || l.inFiles(c.template) {
		return
	}
	facts := admission.Facts{MachineHealthCheck: &c.mhc}
	facts.Template.Plan = c.template
	for _, step := range admission.Steps(facts, config) {
		l.kinds(c.place, asks(c), step)
	}
}

// inFiles reports whether a plan is in the files, where it has findings of its own.
func (l *linter) inFiles(template *v1alpha1.MachineRemediationTemplate) bool {
	return template != nil && slices.ContainsFunc(l.plans, func(p plan) bool {
		return p.template.Name == template.Name && l.namespace(p.template.Namespace) == l.namespace(template.Namespace)
	})
}

// asks returns the field by which a check asks for its steps.
func asks(c *check) string {
	if c.mhc.Spec.Remediation.TemplateRef.IsDefined() {
		return fieldTemplate
	}
	for _, annotation := range []string{mhcspec.StrategyAnnotation, mhcspec.ExternalStrategyAnnotation} {
		if mhcspec.HasAnnotation(&c.mhc, annotation) {
			return fieldAnnotation(annotation)
		}
	}
	return fieldRemediation
}

// kinds warns if a step needs kinds that are not installed. Kinds of one group come together, so one finding names them all.
func (l *linter) kinds(at place, field string, step v1alpha1.RemediationStep) {
	if l.fleet == nil || l.fleet.Kinds == nil {
		return
	}
	missing := map[schema.GroupVersion][]string{}
	for _, kind := range needs(step) {
		if _, err := l.fleet.Kinds.RESTMapping(kind.GroupKind(), kind.Version); err != nil {
			missing[kind.GroupVersion()] = append(missing[kind.GroupVersion()], kind.Kind)
		}
	}
	for _, version := range slices.SortedFunc(maps.Keys(missing), func(a, b schema.GroupVersion) int { return strings.Compare(a.String(), b.String()) }) {
		kinds, are, them := missing[version], "is", "it"
		if len(kinds) > 1 {
			are, them = "are", "them"
		}
		l.add(at.find(Warning, field, fmt.Sprintf("step %s needs %s of %s, which %s not installed: %s; until then it is retried for ever",
			step.Name, strings.Join(kinds, " and "), version, are, l.remedy(version.WithKind(kinds[0]), them))))
	}
}

// needs returns the kinds without which a step can do nothing.
func needs(step v1alpha1.RemediationStep) (kinds []schema.GroupVersionKind) {
	if ref := step.TemplateRef; ref != nil {
		kinds = append(kinds, schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind))
	}
	if step.TemplateRef != nil || step.Action == v1alpha1.ActionReboot {
		kinds = append(kinds, remedy.Request{Step: step}.Kind())
	}
	if slices.Contains(kinds, v1alpha1.GroupVersion.WithKind("RebootRemediation")) {
		kinds = append(kinds, reboot.HostKind)
	}
	return kinds
}

// needsKinds reports whether a step of a plan needs kinds.
func needsKinds(p plan) bool {
	return slices.ContainsFunc(p.template.Spec.Template.Spec.Steps, func(s v1alpha1.RemediationStep) bool { return len(needs(s)) > 0 })
}

// remedy says how to get a kind that is not installed.
func (l *linter) remedy(kind schema.GroupVersionKind, them string) string {
	if other, err := l.fleet.Kinds.RESTMapping(kind.GroupKind()); err == nil {
		return "the management cluster has " + other.GroupVersionKind.Version
	}
	switch kind.Group {
	case metal3v1.GroupVersion.Group:
		return "install Metal3's baremetal-operator, or repair in another way"
	case v1alpha1.GroupVersion.Group:
		return "sickbay crds | kubectl apply -f - installs " + them
	}
	return "install what provides " + them + ", or correct templateRef"
}
