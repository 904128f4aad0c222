package mhcspec

import (
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// Annotations on a MachineHealthCheck for settings that its API has no field for.
const (
	// MaxInFlightAnnotation bounds how many remediations run at once: a number, or a
	// percentage of the Machines, rounded down but at least one.
	MaxInFlightAnnotation = "sickbay.dev/max-in-flight"
	// DryRunAnnotation, if "true", makes Sickbay say what it would do, and do nothing.
	DryRunAnnotation = "sickbay.dev/dry-run"
	// StrategyAnnotation chooses how machines are repaired; "reboot" is the only value.
	StrategyAnnotation = "sickbay.dev/remediation"
	// ExternalStrategyAnnotation is OpenShift's name for the same; its value "external-baremetal" means "reboot".
	ExternalStrategyAnnotation = "machine.openshift.io/remediation-strategy"
)

// Strategy chooses among the built-in plans.
type Strategy string

// StrategyReboot power-cycles the host of a machine.
const StrategyReboot Strategy = "reboot"

// strategies are the annotations that choose a built-in plan, each with its only valid value.
var strategies = []struct {
	annotation, value string
	strategy          Strategy
}{
	{StrategyAnnotation, string(StrategyReboot), StrategyReboot},
	{ExternalStrategyAnnotation, "external-baremetal", StrategyReboot},
}

// Config has the settings of a MachineHealthCheck, from its annotations or from its plan.
type Config struct {
	// MaxInFlight is nil if there is no limit.
	MaxInFlight *intstr.IntOrString
	DryRun      bool
	// Observe says that the plan only observes: nothing is done.
	Observe bool
	// Paced says that the plan paces repairs.
	Paced bool
	// Strategy is empty if none is chosen.
	Strategy Strategy
}

// Bounded reports whether slots or pacing limit the repairs, so that one waits for another.
func (c Config) Bounded() bool { return c.MaxInFlight != nil || c.Paced }

// OnlyReports reports whether Sickbay repairs nothing and only says what it would do.
func (c Config) OnlyReports() bool { return c.DryRun || c.Observe }

// ParseConfig reads the annotations, and the plan that the MachineHealthCheck names; template is nil if it names none, or
// if the plan cannot be read. It never guesses at an invalid value: the problems say what is wrong, and nothing is
// repaired until somebody corrects it.
func ParseConfig(mhc *clusterv1.MachineHealthCheck, template *v1alpha1.MachineRemediationTemplate) (config Config, problems []string) {
	config.DryRun, problems = parseDryRun(mhc)
	if NamesPlan(mhc) {
		problems = append(problems, besidePlan(mhc)...)
		if template != nil {
			config.MaxInFlight = template.Spec.Template.Spec.MaxInFlight
			config.Paced = template.Spec.Template.Spec.Pacing != nil
			// By a mode that only a later version knows, nothing is done, either.
			mode := template.Spec.Template.Spec.EffectiveMode()
			config.Observe = mode != v1alpha1.ModeAct && mode != v1alpha1.ModeApprove
		}
	} else {
		problems = append(problems, config.parseMaxInFlight(mhc)...)
		problems = append(problems, config.parseStrategy(mhc)...)
	}
	if value, ok := mhc.Annotations[PauseOnUpgradeAnnotation]; ok && value != "true" && value != "false" {
		problems = append(problems, fmt.Sprintf("annotation %s is %s: it must be %q or %q", PauseOnUpgradeAnnotation, Quoted(value), "true", "false"))
	}
	return config, append(problems, verdictProblems(mhc)...)
}

// PlanKind is the kind of templates that are plans of Sickbay.
var PlanKind = schema.GroupKind{Group: v1alpha1.GroupVersion.Group, Kind: "MachineRemediationTemplate"}

// NamesPlan reports whether mhc names a MachineRemediationTemplate.
func NamesPlan(mhc *clusterv1.MachineHealthCheck) bool {
	return mhc.Spec.Remediation.TemplateRef.GroupVersionKind().GroupKind() == PlanKind
}

func parseDryRun(mhc *clusterv1.MachineHealthCheck) (dryRun bool, problems []string) {
	value, ok := mhc.Annotations[DryRunAnnotation]
	if !ok {
		return false, nil
	}
	dryRun, err := strconv.ParseBool(value)
	if err != nil {
		// Somebody who tries to switch dry-run on does not want anything touched.
		return true, []string{fmt.Sprintf("annotation %s is %s: it must be true or false", DryRunAnnotation, Quoted(value))}
	}
	return dryRun, nil
}

// besidePlan returns problems for annotations that set what the plan sets.
func besidePlan(mhc *clusterv1.MachineHealthCheck) (problems []string) {
	for _, annotation := range []string{MaxInFlightAnnotation, StrategyAnnotation, ExternalStrategyAnnotation} {
		if _, ok := mhc.Annotations[annotation]; ok {
			problems = append(problems, fmt.Sprintf("annotation %s must not be set beside MachineRemediationTemplate %s, which has its own setting",
				annotation, mhc.Spec.Remediation.TemplateRef.Name))
		}
	}
	return problems
}

func (c *Config) parseMaxInFlight(mhc *clusterv1.MachineHealthCheck) (problems []string) {
	value, ok := mhc.Annotations[MaxInFlightAnnotation]
	if !ok {
		return nil
	}
	limit := intstr.Parse(value)
	c.MaxInFlight = &limit
	if err := validMaxInFlight(limit); err != nil {
		problems = append(problems, fmt.Sprintf("annotation %s is %s: %s", MaxInFlightAnnotation, Quoted(value), err))
	}
	return problems
}

func (c *Config) parseStrategy(mhc *clusterv1.MachineHealthCheck) (problems []string) {
	for _, one := range strategies {
		value, ok := mhc.Annotations[one.annotation]
		if !ok {
			continue
		}
		if value != one.value {
			problems = append(problems, fmt.Sprintf("annotation %s is %s: it must be %q", one.annotation, Quoted(value), one.value))
		}
		c.Strategy = one.strategy
	}
	return problems
}

// verdictProblems returns the problems of the annotations that machinehealth reads.
func verdictProblems(mhc *clusterv1.MachineHealthCheck) (problems []string) {
	if _, err := ResumedAt(mhc); err != nil {
		problems = append(problems, fmt.Sprintf("annotation %s is %s: it must be a time like 2006-01-02T15:04:05Z",
			ResumedAtAnnotation, Quoted(mhc.Annotations[ResumedAtAnnotation])))
	}
	if _, err := ProvisioningTimeout(mhc); err != nil {
		problems = append(problems, fmt.Sprintf("annotation %s is %s: it must be a duration like 30m or 1h30m",
			ProvisioningTimeoutAnnotation, Quoted(mhc.Annotations[ProvisioningTimeoutAnnotation])))
	}
	if _, err := HostErrorTimeout(mhc); err != nil {
		problems = append(problems, fmt.Sprintf("annotation %s is %s: it must be a duration like 30m or 1h30m",
			HostErrorTimeoutAnnotation, Quoted(mhc.Annotations[HostErrorTimeoutAnnotation])))
	}
	if _, err := Signals(mhc); err != nil {
		problems = append(problems, fmt.Sprintf("annotation %s is %s: %s", SignalsAnnotation, Quoted(mhc.Annotations[SignalsAnnotation]), err))
	}
	return problems
}

func validMaxInFlight(limit intstr.IntOrString) error {
	n, err := Scale(limit, 100)
	if err != nil || n < 1 {
		return fmt.Errorf("it must be a number of at least 1, or a percentage of at least 1%%")
	}
	return nil
}
