package reboot

import (
	"context"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/reboot/quorum"
)

// hastyRead bounds the reading of the Node while the host is not off yet: knowing the Node's identity is good,
// waiting for a workload cluster that hangs is not.
const hastyRead = 2 * time.Second

// view is what was read, for a decision and for whatever it leads to.
type view struct {
	facts   cycle.Facts
	machine *machine
	host    *metal3v1.BareMetalHost
	// plane is what the turn of a machine of a control plane depends on; nil if it is none, or has none to wait for.
	plane *quorum.Facts
}

// observe reads everything that a decision needs, live. The host comes last, so that nothing lies between it
// and what is done by it.
func (r *Reconciler) observe(ctx context.Context, request *v1alpha1.RebootRemediation, in *visit) (view, error) {
	v := view{facts: factsOf(request)}
	var err error
	if v.machine, err = r.machine(ctx, request); err != nil {
		if request.Status.Host == nil {
			return view{}, err
		}
		r.blinded(request, &v, "The machine cannot be read", err)
		v.host, v.facts.Host, err = r.hostOf(ctx, request, cycle.Consumer{}, request.Status.Host.Name)
		return v, err
	}
	v.facts.Machine = v.machine.facts(request)
	if v.machine != nil && cycle.NeedsPauses(&v.facts) {
		v.facts.Paused, v.facts.PausedUntil = r.pauses(ctx, request, v.machine)
	}
	if v.machine != nil && cycle.NeedsRecord(&v.facts) {
		v.facts.NotStored = r.notStored(ctx, request, v.machine)
	}
	if err = r.observeCluster(ctx, request, &v, in); err != nil {
		return view{}, err
	}
	if cycle.NeedsSiblings(&v.facts) {
		if v.facts.Siblings, err = r.siblings(ctx, request); err != nil {
			return view{}, err
		}
	}
	v.host, v.facts.Host, err = r.host(ctx, request, &v)
	if v.facts.Blind == "" {
		r.failures.Succeed(client.ObjectKeyFromObject(request), readMachine)
	}
	return v, err
}

// observeCluster reads what the workload cluster has to say. If enough workers are busy with it, this one is left to other clusters.
func (r *Reconciler) observeCluster(ctx context.Context, request *v1alpha1.RebootRemediation, v *view, in *visit) (err error) {
	if v.machine == nil || !cycle.NeedsNode(&v.facts) {
		return nil
	}
	if err = in.begin(v.machine.cluster); err == nil {
		v.facts.Node, err = r.nodeInTime(ctx, request, v.machine)
	}
	if err != nil {
		if request.Status.Phase == v1alpha1.Pending && !v.facts.Deleting {
			return err
		}
		// The clocks go on, and the host is let go of in time.
		v.facts.Node = cycle.NodeFacts{State: cycle.NodeUnreadable, Cause: "Too many others wait for the workload cluster"}
		return nil
	}
	if !cycle.NeedsTurn(&v.facts) || v.facts.Deleting {
		return nil
	}
	v.plane, err = r.controlPlane(ctx, request, v.machine)
	switch {
	case err != nil:
		// That is about other machines. What needs nothing of them is done all the same.
		r.failed(request, readPlane, err)
		v.facts.Throttled = "Sickbay cannot tell whether the rest of the control plane is up"
	case v.plane != nil:
		r.failures.Succeed(client.ObjectKeyFromObject(request), readPlane)
		v.facts.Throttled = quorum.Waits(*v.plane)
	}
	return nil
}

// factsOf is what a RebootRemediation itself says.
func factsOf(request *v1alpha1.RebootRemediation) cycle.Facts {
	facts := cycle.Facts{
		UID: request.UID, Spec: request.Spec, Status: request.Status,
		Deleting:      !request.DeletionTimestamp.IsZero(),
		Finalizer:     controllerutil.ContainsFinalizer(request, Finalizer),
		NodeFinalizer: controllerutil.ContainsFinalizer(request, NodeFinalizer),
	}
	if facts.Deleting {
		facts.DeletingSince = request.DeletionTimestamp.Time
	}
	return facts
}

// blinded notes that the Machine of a host that is recorded, or its infrastructure machine, cannot be read. Of the Machine only
// what is recorded is known then.
func (r *Reconciler) blinded(request *v1alpha1.RebootRemediation, v *view, why string, err error) {
	r.failed(request, readMachine, err)
	v.facts.Blind = why
	v.facts.Machine = cycle.MachineFacts{UID: request.Status.MachineUID, ByAnnotation: has(request, ByAnnotation), Plain: !request.Status.SingleSteps && request.Status.HoldingSince == nil}
}

func (r *Reconciler) nodeInTime(ctx context.Context, request *v1alpha1.RebootRemediation, m *machine) (cycle.NodeFacts, error) {
	if request.Status.Phase == v1alpha1.Pending {
		hasty, cancel := context.WithTimeout(ctx, hastyRead)
		defer cancel()
		ctx = hasty
	}
	return r.node(ctx, request, m)
}
