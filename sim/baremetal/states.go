package baremetal

import (
	"context"

	metal3api "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// attempts is how many power-offs may fail before a host is deleted without one.
const attempts = 3

// pass is one step of a host's life.
func (v *visit) pass(ctx context.Context) (outcome, error) {
	if next, begins := v.beginsDeletion(); begins {
		return v.moveTo(next), nil
	}
	if result, detached := v.detach(); detached {
		return result, nil
	}
	switch v.state() {
	case metal3api.StateNone:
		return v.moveTo(metal3api.StateRegistering), nil
	case metal3api.StateRegistering:
		return v.register(), nil
	case metal3api.StateInspecting, metal3api.StateProvisioning:
		return v.prepare(ctx)
	case metal3api.StatePreparing:
		return v.moveTo(metal3api.StateAvailable), nil
	case metal3api.StateAvailable:
		return v.available(ctx)
	case metal3api.StateExternallyProvisioned, metal3api.StateProvisioned:
		return v.steady(ctx)
	case metal3api.StateDeprovisioning:
		return v.deprovision(ctx)
	case metal3api.StatePoweringOffBeforeDelete:
		return v.powerOffToDelete(), nil
	default:
		return v.delete(ctx)
	}
}

func (v *visit) state() metal3api.ProvisioningState { return v.host.Status.Provisioning.State }

func (v *visit) moveTo(state metal3api.ProvisioningState) outcome {
	v.host.Status.Provisioning.State = state
	return outcome{save: true}
}

// beginsDeletion returns the next state of a deleted host. A host that is detached or was never managed is
// released as it is; any other is switched off first.
func (v *visit) beginsDeletion() (next metal3api.ProvisioningState, begins bool) {
	if v.host.DeletionTimestamp.IsZero() || v.state() == metal3api.StateDeleting {
		return "", false
	}
	if v.host.Status.OperationalStatus == metal3api.OperationalStatusDetached {
		return metal3api.StateDeleting, true
	}
	switch v.state() {
	case metal3api.StateDeprovisioning, metal3api.StatePoweringOffBeforeDelete:
		return "", false
	case metal3api.StateNone, metal3api.StateUnmanaged, metal3api.StateRegistering:
		return metal3api.StateDeleting, true
	case metal3api.StateProvisioning, metal3api.StateProvisioned:
		return metal3api.StateDeprovisioning, true
	default:
		return metal3api.StatePoweringOffBeforeDelete, true
	}
}

// detach leaves a host alone while it has the detached annotation, and takes it back afterwards.
func (v *visit) detach() (result outcome, detached bool) {
	if _, asked := v.host.Annotations[metal3api.DetachedAnnotation]; asked {
		switch v.state() {
		case metal3api.StateProvisioned, metal3api.StateExternallyProvisioned, metal3api.StateAvailable:
			news := v.host.SetOperationalStatus(metal3api.OperationalStatusDetached)
			return outcome{save: news, again: 10 * v.machine.options.Poll}, true
		default: // not while something else is in progress
		}
	}
	if v.host.Status.OperationalStatus != metal3api.OperationalStatusDetached {
		return outcome{}, false
	}
	v.host.SetOperationalStatus(metal3api.OperationalStatusOK)
	if v.host.Status.ErrorType != "" {
		v.host.SetOperationalStatus(metal3api.OperationalStatusError)
	}
	return outcome{save: true}, true
}

func (v *visit) register() outcome {
	v.recovers()
	v.host.Status.ErrorCount = 0
	if v.host.Spec.ExternallyProvisioned {
		return v.moveTo(metal3api.StateExternallyProvisioned)
	}
	return v.moveTo(metal3api.StateInspecting)
}

// prepare stands for inspection and provisioning. They take no time, but first the keys of an earlier life must
// be gone.
func (v *visit) prepare(ctx context.Context) (outcome, error) {
	if dropKeys(v.host, v.machine.Faults().KeepForeignKeys) {
		return outcome{}, v.update(ctx, v.host)
	}
	if v.state() == metal3api.StateInspecting {
		return v.moveTo(metal3api.StatePreparing), nil
	}
	if v.host.Spec.Image != nil {
		v.host.Status.Provisioning.Image = *v.host.Spec.Image
	}
	v.host.Status.ErrorCount = 0
	return v.moveTo(metal3api.StateProvisioned), nil
}

func (v *visit) available(ctx context.Context) (outcome, error) {
	if v.host.Spec.ExternallyProvisioned {
		return v.moveTo(metal3api.StateExternallyProvisioned), nil
	}
	if v.host.NeedsProvisioning() {
		v.recovers()
		return v.moveTo(metal3api.StateProvisioning), nil
	}
	return v.managePower(ctx)
}

func (v *visit) steady(ctx context.Context) (outcome, error) {
	if v.state() == metal3api.StateExternallyProvisioned {
		if !v.host.Spec.ExternallyProvisioned {
			return v.moveTo(metal3api.StateInspecting), nil
		}
		return v.managePower(ctx)
	}
	if image := v.host.Spec.Image; image == nil || image.URL != v.host.Status.Provisioning.Image.URL {
		return v.moveTo(metal3api.StateDeprovisioning), nil
	}
	return v.managePower(ctx)
}

func (v *visit) deprovision(ctx context.Context) (outcome, error) {
	v.machine.wipe()
	if dropKeys(v.host, v.machine.Faults().KeepForeignKeys) {
		return outcome{}, v.update(ctx, v.host)
	}
	v.host.Status.Provisioning.Image = metal3api.Image{}
	v.host.Status.ErrorCount = 0
	if v.host.DeletionTimestamp.IsZero() {
		return v.moveTo(metal3api.StateAvailable), nil
	}
	return v.moveTo(metal3api.StatePoweringOffBeforeDelete), nil
}

// powerOffToDelete switches a deleted host off. After some errors it gives up: the object goes, and the machine
// may still run.
func (v *visit) powerOffToDelete() outcome {
	if v.host.Spec.DisablePowerOff {
		return v.gone()
	}
	got := v.machine.wantOff(metal3api.RebootModeHard, v.hasPowerError(), false)
	switch {
	case got.problem != "":
		result := v.fails(metal3api.PowerManagementError, got.problem)
		if v.host.Status.ErrorCount > attempts {
			return v.moveTo(metal3api.StateDeleting)
		}
		return result
	case got.waiting:
		return outcome{save: v.recovers(), again: got.again}
	}
	return v.gone()
}

func (v *visit) gone() outcome {
	v.host.Status.PoweredOn = false
	v.host.Status.ErrorCount = 0
	return v.moveTo(metal3api.StateDeleting)
}

func (v *visit) delete(ctx context.Context) (outcome, error) {
	if !controllerutil.RemoveFinalizer(v.host, metal3api.BareMetalHostFinalizer) {
		return outcome{idle: true}, nil
	}
	return outcome{idle: true}, v.update(ctx, v.host)
}
