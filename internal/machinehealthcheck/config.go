package machinehealthcheck

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/targets"
)

// Annotations on a MachineHealthCheck for what its API has no field for.
const (
	// MaxInFlightAnnotation bounds how many remedies run at once: a number, or a
	// percentage of the Machines, rounded down but at least one.
	MaxInFlightAnnotation = "sickbay.dev/max-in-flight"
	// DryRunAnnotation set to "true" makes Sickbay say what it would do, and do
	// nothing.
	DryRunAnnotation = "sickbay.dev/dry-run"
	// StrategyAnnotation chooses a remedy; "reboot" is the only one.
	StrategyAnnotation = "sickbay.dev/remediation"
	// ExternalStrategyAnnotation is how OpenShift says the same: "external-baremetal"
	// is "reboot".
	ExternalStrategyAnnotation = "machine.openshift.io/remediation-strategy"
)

// strategies are the annotations that choose a remedy, each with the one value that it may have.
var strategies = []struct {
	annotation, value string
	kind              remedy.Kind
}{
	{StrategyAnnotation, string(remedy.Reboot), remedy.Reboot},
	{ExternalStrategyAnnotation, "external-baremetal", remedy.Reboot},
}

// Config is what the annotations of a MachineHealthCheck ask for.
type Config struct {
	// MaxInFlight is nil if there is no bound.
	MaxInFlight *intstr.IntOrString
	DryRun      bool
	// Strategy is empty if none is asked for.
	Strategy remedy.Kind
}

// ParseConfig reads the annotations. One that cannot be read is never guessed at:
// the problems say what is wrong, and nothing is remediated until it is mended.
func ParseConfig(mhc *clusterv1.MachineHealthCheck) (config Config, problems []string) {
	if value, ok := mhc.Annotations[MaxInFlightAnnotation]; ok {
		limit := intstr.Parse(value)
		if err := validMaxInFlight(limit); err != nil {
			problems = append(problems, fmt.Sprintf("annotation %s is %s: %s", MaxInFlightAnnotation, quoted(value), err))
		}
		config.MaxInFlight = &limit
	}
	if value, ok := mhc.Annotations[DryRunAnnotation]; ok {
		dryRun, err := strconv.ParseBool(value)
		if err != nil {
			problems = append(problems, fmt.Sprintf("annotation %s is %s: it must be true or false", DryRunAnnotation, quoted(value)))
		}
		// Whoever tried to switch it on does not want anything touched.
		config.DryRun = dryRun || err != nil
	}
	for _, strategy := range strategies {
		value, ok := mhc.Annotations[strategy.annotation]
		if !ok {
			continue
		}
		if value != strategy.value {
			problems = append(problems, fmt.Sprintf("annotation %s is %s: it must be %q", strategy.annotation, quoted(value), strategy.value))
		}
		config.Strategy = strategy.kind
	}
	if value, ok := mhc.Annotations[targets.PauseOnUpgradeAnnotation]; ok && value != "true" && value != "false" {
		problems = append(problems, fmt.Sprintf("annotation %s is %s: it must be %q or %q", targets.PauseOnUpgradeAnnotation, quoted(value), "true", "false"))
	}
	return config, append(problems, problemsOfRules(mhc)...)
}

// problemsOfRules are about the annotations that machinehealth reads.
func problemsOfRules(mhc *clusterv1.MachineHealthCheck) (problems []string) {
	if _, err := machinehealth.ResumedAt(mhc); err != nil {
		problems = append(problems, fmt.Sprintf("annotation %s is %s: it must be a time like 2006-01-02T15:04:05Z",
			machinehealth.ResumedAtAnnotation, quoted(mhc.Annotations[machinehealth.ResumedAtAnnotation])))
	}
	if _, err := machinehealth.ProvisioningTimeout(mhc); err != nil {
		problems = append(problems, fmt.Sprintf("annotation %s is %s: it must be a duration like 30m or 1h30m",
			machinehealth.ProvisioningTimeoutAnnotation, quoted(mhc.Annotations[machinehealth.ProvisioningTimeoutAnnotation])))
	}
	return problems
}

func validMaxInFlight(limit intstr.IntOrString) error {
	n, err := scale(limit, 100)
	if err != nil || n < 1 {
		return fmt.Errorf("it must be a number of at least 1, or a percentage of at least 1%%")
	}
	return nil
}

// scale returns a number as it is, and a percentage of total, rounded down, though
// no more than the API takes for a count. Below zero stays below zero, also if total
// is zero: whether a value is valid must not depend on how many Machines there are.
func scale(value intstr.IntOrString, total int) (int, error) {
	if value.Type == intstr.Int {
		return int(value.IntVal), nil
	}
	number, ok := strings.CutSuffix(value.StrVal, "%")
	percent, err := strconv.ParseInt(number, 10, 64)
	if !ok || err != nil {
		return 0, errors.New("it is neither a number nor a percentage")
	}
	if percent < 0 {
		return -1, nil
	}
	return int(min(maxCount, min(percent, maxCount)*int64(total)/100)), nil
}

// quoted prints a value that somebody else wrote, and of a long one the beginning.
func quoted(value string) string {
	const most = 100
	if len(value) > most {
		value = strings.ToValidUTF8(value[:most], "") + "..."
	}
	return strconv.Quote(value)
}
