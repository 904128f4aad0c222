package admission

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/sentence"
)

// FuzzAnnotations: whatever a MachineHealthCheck is annotated with, each problem is one clear sentence, and what cannot be read is never guessed at.
func FuzzAnnotations(f *testing.F) {
	for _, value := range []string{"", "1", "0", "-1", "20%", "-5%", "99999999999999999999", "%", "true", "TRUE", "yes", "reboot", "external-baremetal", "30m", "-1s", "1e9h", "2026-11-23T08:00:00Z", "\x00", "a\nb", "\xff", "A: {clock: FirstSeen, maxShare: 60%}", "{\"a\\nb\": {\"x y\": 1}}"} {
		f.Add(value, 3)
	}
	f.Fuzz(func(t *testing.T, value string, expected int) {
		for _, annotation := range []string{
			mhcspec.MaxInFlightAnnotation, mhcspec.DryRunAnnotation, mhcspec.StrategyAnnotation, mhcspec.ExternalStrategyAnnotation, mhcspec.PauseOnUpgradeAnnotation,
			mhcspec.ResumedAtAnnotation, mhcspec.ProvisioningTimeoutAnnotation, mhcspec.HostErrorTimeoutAnnotation, mhcspec.SignalsAnnotation,
		} {
			mhc := &clusterv1.MachineHealthCheck{}
			mhc.Annotations = map[string]string{annotation: value}
			config, problems := mhcspec.ParseConfig(mhc, nil)
			for _, problem := range problems {
				sentence.Clear(t, problem)
			}
			if annotation == mhcspec.DryRunAnnotation && len(problems) > 0 && !config.DryRun {
				t.Errorf("%q is no dry-run", value)
			}
			if n := budget(config.MaxInFlight, expected%100_000); n < unbounded || len(problems) > 0 && annotation == mhcspec.MaxInFlightAnnotation && n > max(1, expected) && config.MaxInFlight == nil {
				t.Errorf("%q is a budget of %d", value, n)
			}
			_ = mhcspec.RulesOf(mhc)
		}
	})
}

// FuzzTrigger: limits and ranges are read as they are printed, and never lead to numbers below zero.
func FuzzTrigger(f *testing.F) {
	for _, value := range []string{"", "[1-3]", "[3-1]", "[0-0]", "[ 1-2]", "[1-2", "1-2]", "[1-2147483648]", "[-1-2]", "[1--2]", "[+1-2]", "40%", "-40%", "0%", "999999999999%", "9223372036854775808%", "x"} {
		f.Add(value, 7)
	}
	f.Fuzz(func(t *testing.T, value string, expected int) {
		expected = max(0, expected%100_000)
		limit := intstr.Parse(value)
		for _, spec := range []clusterv1.MachineHealthCheckRemediationTriggerIf{{UnhealthyInRange: value}, {UnhealthyLessThanOrEqualTo: &limit}} {
			got, err := newGate(spec, expected)
			if err != nil {
				sentence.Clear(t, err.Error(), value)
				continue
			}
			if got.minimum < 0 || got.maximum < got.minimum || got.maximum > max(mhcspec.MaxCount, expected) {
				t.Errorf("%q of %d is from %d to %d", value, expected, got.minimum, got.maximum)
			}
			if !got.isRange {
				continue
			}
			again, err := newRange(fmt.Sprintf("[%d-%d]", got.minimum, got.maximum))
			if err != nil || again.minimum != got.minimum || again.maximum != got.maximum {
				t.Errorf("%q is read as from %d to %d, which is read as %+v (%v)", value, got.minimum, got.maximum, again, err)
			}
		}
	})
}
