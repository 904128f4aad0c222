package baremetal

import (
	"context"

	metal3api "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// managePower compares the power of a host with the requested power. Its steps have the real
// operator's order, which causes most of what surprises a client: the operator writes what it saw
// before it acts, it removes the plain key before the power comes back, and it begins a firmware
// update before it looks at keys.
func (v *visit) managePower(ctx context.Context) (outcome, error) {
	if v.look() {
		return outcome{save: true}, nil
	}
	if _, asked := v.host.Annotations[plainKey]; asked && !v.host.Status.PoweredOn {
		return v.dropPlainKey(ctx)
	}
	if result, serviced := v.service(); serviced {
		return result, nil
	}
	want, mode := v.host.Spec.Online, metal3api.RebootModeSoft
	if held, asked := heldOff(v.host.Annotations, !v.isProvisioned()); held {
		want, mode = false, asked
	}
	if v.host.Status.PoweredOn == want {
		return outcome{again: v.machine.options.Poll}, nil
	}
	got := v.ask(want, mode)
	if _, asked := v.host.Annotations[plainKey]; asked && v.host.Spec.DisablePowerOff {
		return v.dropPlainKey(ctx) // an ordered reboot counts as done
	}
	return v.conclude(got), nil
}

// look stores the power that the BMC shows, and reports whether it changed. If the BMC shows none,
// the old value stays.
func (v *visit) look() bool {
	on, known := v.machine.power()
	if !known || on == v.host.Status.PoweredOn {
		return false
	}
	v.host.Status.PoweredOn = on
	if v.hasPowerError() {
		v.recovers()
	}
	return true
}

func (v *visit) dropPlainKey(ctx context.Context) (outcome, error) {
	delete(v.host.Annotations, plainKey)
	return outcome{}, v.update(ctx, v.host)
}

// service updates firmware while the host is off but wants to be on, whatever keeps it off.
func (v *visit) service() (result outcome, serviced bool) {
	status := &v.host.Status
	running := status.OperationalStatus == metal3api.OperationalStatusServicing
	begins := v.isProvisioned() && !status.PoweredOn && v.host.Spec.Online && v.machine.servicePending()
	if !begins && !running {
		return outcome{}, false
	}
	if !running {
		status.OperationalStatus = metal3api.OperationalStatusServicing
		return outcome{save: true}, true
	}
	if v.machine.service() {
		return outcome{save: v.is(metal3api.OperationalStatusServicing), again: v.machine.options.Retry}, true
	}
	return outcome{save: v.recovers(), again: v.machine.options.Poll}, true
}

func (v *visit) ask(on bool, mode metal3api.RebootMode) answer {
	if on {
		return v.machine.wantOn(v.hasPowerError())
	}
	if v.host.Status.ErrorCount > 0 {
		mode = metal3api.RebootModeHard
	}
	return v.machine.wantOff(mode, v.hasPowerError(), v.host.Spec.DisablePowerOff)
}

func (v *visit) conclude(got answer) outcome {
	switch {
	case got.problem != "":
		return v.fails(metal3api.PowerManagementError, got.problem)
	case got.waiting:
		return outcome{save: v.recovers(), again: got.again}
	}
	// The power may differ from what the operator saw. The next look corrects this.
	v.host.Status.PoweredOn = v.host.Spec.Online
	v.host.Status.ErrorCount = 0
	return outcome{save: true, again: v.machine.options.Poll}
}

func (v *visit) hasPowerError() bool {
	return v.host.Status.ErrorType == metal3api.PowerManagementError
}

func (v *visit) isProvisioned() bool {
	return v.state() == metal3api.StateProvisioned || v.state() == metal3api.StateExternallyProvisioned
}

// setConditions sets the conditions, and reports whether one changed.
func (v *visit) setConditions() bool {
	set := func(kind string, status metav1.ConditionStatus, reason string) bool {
		return meta.SetStatusCondition(&v.host.Status.Conditions, metav1.Condition{Type: kind, Status: status, Reason: reason})
	}
	manageable, manageableReason := metav1.ConditionTrue, metal3api.ManageableReason
	switch {
	case v.state() == metal3api.StateNone || v.state() == metal3api.StateRegistering:
		manageable, manageableReason = metav1.ConditionFalse, metal3api.RegisteringReason
	case v.machine.powerFailure() && v.host.Status.OperationalStatus != metal3api.OperationalStatusDetached:
		manageable, manageableReason = metav1.ConditionFalse, metal3api.PowerFailureReason
	}
	provisioned, provisionedReason := metav1.ConditionFalse, metal3api.NotProvisionedReason
	if v.isProvisioned() {
		provisioned, provisionedReason = metav1.ConditionTrue, metal3api.ProvisionedReason
	}
	ready, readyReason := provisioned, provisionedReason
	switch v.host.Status.OperationalStatus {
	case metal3api.OperationalStatusError:
		ready, readyReason = metav1.ConditionFalse, metal3api.ErrorReason
	case metal3api.OperationalStatusServicing:
		ready, readyReason = metav1.ConditionFalse, metal3api.ServicingReason
	case metal3api.OperationalStatusDetached:
		ready, readyReason = metav1.ConditionFalse, metal3api.DetachedReason
	default:
	}
	changed := set(metal3api.ManageableCondition, manageable, manageableReason)
	changed = set(metal3api.ProvisionedCondition, provisioned, provisionedReason) || changed
	return set(metal3api.ReadyCondition, ready, readyReason) || changed
}
