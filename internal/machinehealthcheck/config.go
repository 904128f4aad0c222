package machinehealthcheck

import (
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/remedy"
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
)

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
			problems = append(problems, fmt.Sprintf("annotation %s is %q: %s", MaxInFlightAnnotation, value, err))
		}
		config.MaxInFlight = &limit
	}
	if value, ok := mhc.Annotations[DryRunAnnotation]; ok {
		dryRun, err := strconv.ParseBool(value)
		if err != nil {
			problems = append(problems, fmt.Sprintf("annotation %s is %q: it must be true or false", DryRunAnnotation, value))
		}
		config.DryRun = dryRun
	}
	if value, ok := mhc.Annotations[StrategyAnnotation]; ok {
		if value != string(remedy.Reboot) {
			problems = append(problems, fmt.Sprintf("annotation %s is %q: it must be %q", StrategyAnnotation, value, remedy.Reboot))
		}
		config.Strategy = remedy.Kind(value)
	}
	if _, err := machinehealth.ResumedAt(mhc); err != nil {
		problems = append(problems, fmt.Sprintf("annotation %s is %q: it must be a time like 2006-01-02T15:04:05Z",
			machinehealth.ResumedAtAnnotation, mhc.Annotations[machinehealth.ResumedAtAnnotation]))
	}
	return config, problems
}

func validMaxInFlight(limit intstr.IntOrString) error {
	n, err := scale(limit, 100)
	if err != nil || n < 1 {
		return fmt.Errorf("it must be a number of at least 1, or a percentage of at least 1%%")
	}
	return nil
}

// scale returns a number as it is, and a percentage of total, rounded down.
func scale(value intstr.IntOrString, total int) (int, error) {
	return intstr.GetScaledValueFromIntOrPercent(&value, total, false)
}
