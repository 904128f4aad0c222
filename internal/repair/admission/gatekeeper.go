package admission

import (
	"fmt"
	"maps"
	"slices"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// GateBound returns the upper bound of triggerIf on unhealthy Machines, given how many there are, and whether there is one. Without one, the
// function is nil.
func GateBound(mhc *clusterv1.MachineHealthCheck) (most func(expected int) int, bounded bool) {
	spec := mhc.Spec.Remediation.TriggerIf
	if spec.UnhealthyInRange == "" && spec.UnhealthyLessThanOrEqualTo == nil {
		return nil, false
	}
	return func(expected int) int {
		gate, err := newGate(spec, expected)
		if err != nil {
			return 0
		}
		return gate.maximum
	}, true
}

// AlwaysOpen reports whether triggerIf allows remediation however many Machines are unhealthy, as with 100%, the default of Cluster API's v1beta1.
func AlwaysOpen(mhc *clusterv1.MachineHealthCheck) bool {
	gate, err := newGate(mhc.Spec.Remediation.TriggerIf, mhcspec.MaxCount)
	return err == nil && gate.minimum == 0 && gate.maximum >= mhcspec.MaxCount
}

// GateClosed says why triggerIf does not allow remediation; empty if it does. Its lower bound applies only to the first step of a
// repair.
func GateClosed(f Facts, first bool) string {
	gate, err := newGate(f.MachineHealthCheck.Spec.Remediation.TriggerIf, len(f.Targets))
	if err != nil {
		return err.Error()
	}
	d := Decision{Counts: count(f.Targets), gate: gate}
	if gate.allows(d.Counts, first) {
		return ""
	}
	return d.gateMessage()
}

// Bounded reports whether the number of slots is limited.
func Bounded(f Facts) bool {
	config, _ := mhcspec.ParseConfig(f.MachineHealthCheck, f.Template.Plan)
	return config.MaxInFlight != nil
}

// OverBudget says that more machines are under repair than allowed; empty otherwise.
func OverBudget(f Facts, now time.Time) string {
	config, _ := mhcspec.ParseConfig(f.MachineHealthCheck, f.Template.Plan)
	most, flight := budget(config.MaxInFlight, len(f.Targets)), f.underRepair(now)
	if most == unbounded || len(flight) <= most {
		return ""
	}
	return fmt.Sprintf("%d of at most %d repairs in flight: %s", len(flight), most, names(slices.Collect(maps.Values(flight))))
}
