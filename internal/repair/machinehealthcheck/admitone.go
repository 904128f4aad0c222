package machinehealthcheck

import (
	"context"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// admitOne creates the record of an admitted machine, or grants it another slot.
func (r *Reconciler) admitOne(ctx context.Context, f admission.Facts, d admission.Decision, one admission.Admission, live liveRecords) outcome {
	owner, machine, began := client.ObjectKeyFromObject(f.MachineHealthCheck), one.Machine, r.Clock.Now()
	written, err := r.write(ctx, f, d, one, live)
	if err != nil {
		r.reportFailure(ctx, f, machine, err)
		return outcome{free: !mayBeWritten(err)}
	}
	r.memory.ExpectFor(owner, written, r.Clock.Now())
	if ladder.Ended(written) {
		return outcome{record: written, free: true}
	}
	r.memory.Succeed(owner, string(machine.UID))
	r.reportAdmission(ctx, f, one, written, began)
	return outcome{record: written, free: one.Grant == 0}
}

// reportAdmission logs and traces an admission, and counts it if it is a relapse.
func (r *Reconciler) reportAdmission(ctx context.Context, f admission.Facts, one admission.Admission, written *v1alpha1.MachineRemediation, began time.Time) {
	next, _ := ladder.NextStep(written)
	ctrl.LoggerFrom(ctx).Info("Machine admitted", "machine", one.Machine.Name, "remediation", written.Name, "grant", written.Spec.Grant,
		"step", next.Name, "reason", written.Spec.Finding.Reason)
	if one.Record != nil {
		r.Tracer.Granted(written, began, r.Clock.Now())
		return
	}
	r.Tracer.Admitted(written, began, r.Clock.Now())
	if admission.Relapsed(f, written) {
		relapsesTotal.Inc()
	}
}

func (r *Reconciler) write(ctx context.Context, f admission.Facts, d admission.Decision, one admission.Admission, live liveRecords) (*v1alpha1.MachineRemediation, error) {
	if one.Record != nil {
		return r.writes().grant(ctx, one.Record, one.Grant)
	}
	spec := admission.Spec(f, d, one, r.Clock.Now())
	if node := r.node(ctx, f, one.Machine); node != nil {
		spec.NodeRef.UID = node.UID
	}
	return r.create(ctx, f, spec, live)
}
