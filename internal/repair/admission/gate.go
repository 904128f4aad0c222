package admission

import (
	"fmt"
	"strconv"
	"strings"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// gate is spec.remediation.triggerIf, resolved against the number of Machines: remediation is allowed while the number of
// unhealthy ones is within it.
type gate struct {
	minimum, maximum int
	// limit says where the bounds come from, for messages; empty if there are none.
	limit string
	// isRange reports that the bounds come from unhealthyInRange.
	isRange bool
}

// newGate resolves triggerIf; unhealthyInRange takes precedence. The error is one sentence for the author.
func newGate(spec clusterv1.MachineHealthCheckRemediationTriggerIf, expected int) (gate, error) {
	if spec.UnhealthyInRange != "" {
		return newRange(spec.UnhealthyInRange)
	}
	limit := spec.UnhealthyLessThanOrEqualTo
	if limit == nil {
		return gate{maximum: expected}, nil
	}
	maximum, err := mhcspec.Scale(*limit, expected)
	if err != nil {
		return gate{}, fmt.Errorf("spec.remediation.triggerIf.unhealthyLessThanOrEqualTo is %s: it must be a number or a percentage", mhcspec.Quoted(limit.String()))
	}
	if maximum < 0 {
		return gate{}, fmt.Errorf("spec.remediation.triggerIf.unhealthyLessThanOrEqualTo is %s: it must not be negative", mhcspec.Quoted(limit.String()))
	}
	text := strconv.Itoa(maximum)
	if strings.HasSuffix(limit.String(), "%") {
		text += " (" + limit.String() + ")"
	}
	return gate{maximum: maximum, limit: text}, nil
}

// newRange parses "[a-b]".
func newRange(text string) (gate, error) {
	const field = "spec.remediation.triggerIf.unhealthyInRange"
	low, high, ok := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"), "-")
	minimum, errLow := strconv.ParseUint(low, 10, 64)
	maximum, errHigh := strconv.ParseUint(high, 10, 64)
	if !ok || len(text) != len(low)+len(high)+3 || errLow != nil || errHigh != nil || max(minimum, maximum) > mhcspec.MaxCount {
		return gate{}, fmt.Errorf("%s is %q: it must be two numbers up to %d, like [3-5]", field, text, mhcspec.MaxCount)
	}
	if minimum > maximum {
		return gate{}, fmt.Errorf("%s is %q: its first number must not be above its second", field, text)
	}
	return gate{minimum: int(minimum), maximum: int(maximum), limit: text, isRange: true}, nil
}

// allows reports whether remediation is allowed with so many unhealthy Machines. The lower bound applies to those that are
// certainly unhealthy, and only to the first step of a repair.
func (t gate) allows(c Counts, first bool) bool {
	return c.Unhealthy() <= t.maximum && (!first || t.minimum <= c.Confirmed())
}

// room returns how many more Machines may become unhealthy while remediation stays allowed; never negative.
func (t gate) room(c Counts) int {
	if !t.allows(c, true) {
		return 0
	}
	return t.maximum - c.Unhealthy()
}

// Limited reports whether triggerIf sets a limit.
func (d *Decision) Limited() bool { return d.gate.limit != "" }

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
