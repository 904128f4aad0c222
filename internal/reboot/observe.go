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
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// hastyRead bounds a read of the Node while the host is not off yet: the Node's identity is useful, but not worth waiting for a
// workload cluster that hangs.
const hastyRead = 2 * time.Second

// view is what was read for a decision and for carrying it out.
type view struct {
	facts   cycle.Facts
	machine *machine
	host    *metal3v1.BareMetalHost
	// plane is what decides whether a control-plane machine may begin; nil if nothing keeps it waiting.
	plane *quorum.Facts
}

// observe reads live everything that a decision needs. It reads the host last, so that the write to the host follows at once.
func (r *Reconciler) observe(ctx context.Context, request *v1alpha1.RebootRemediation, place *clusterPlace) (view, error) {
	v := view{facts: factsOf(request)}
	var err error
	if v.machine, err = r.machine(ctx, request); err != nil {
		if request.Status.Host == nil {
			return view{}, err
		}
		r.machineUnreadable(request, &v, "The machine cannot be read", err)
		v.host, v.facts.Host, err = r.hostOf(ctx, request, cycle.Consumer{}, request.Status.Host.Name)
		return v, err
	}
	v.facts.Machine = v.machine.facts(request)
	v.facts.Machine.Autoscaled = r.autoscaled(ctx, request, &v)
	if v.machine != nil && cycle.NeedsRecord(&v.facts) {
		v.facts.NotStored = r.notStored(ctx, request, v.machine)
	}
	if err = r.observeCluster(ctx, request, &v, place); err != nil {
		return view{}, err
	}
	r.observePlane(ctx, request, &v)
	if cycle.NeedsSiblings(&v.facts) {
		if v.facts.Siblings, err = r.siblings(ctx, request); err != nil {
			return view{}, err
		}
	}
	v.host, v.facts.Host, err = r.host(ctx, request, &v)
	if v.facts.MachineUnreadable == "" {
		r.failures.Succeed(client.ObjectKeyFromObject(request), readMachine)
	}
	return v, err
}

// observeCluster reads from the workload cluster. It does not wait if enough workers are busy with that cluster already.
func (r *Reconciler) observeCluster(ctx context.Context, request *v1alpha1.RebootRemediation, v *view, place *clusterPlace) (err error) {
	if v.machine == nil || !cycle.NeedsNode(&v.facts) {
		return nil
	}
	if err = place.take(v.machine.cluster); err == nil {
		v.facts.Node, err = r.nodeInTime(ctx, request, v.machine)
	}
	if err != nil {
		if request.Status.Phase == v1alpha1.Pending && !v.facts.Deleting {
			return err
		}
		// Deadlines go on passing, and the host is released in time. But no cycle begins: the Node may be back.
		const busy = "Too many others are waiting for the workload cluster"
		v.facts.Node, v.facts.Throttled = cycle.NodeFacts{State: cycle.NodeUnreadable, Cause: busy}, busy
	}
	return nil
}

// observePlane reads whether the rest of a control plane is up, as long as a decision depends on that.
func (r *Reconciler) observePlane(ctx context.Context, request *v1alpha1.RebootRemediation, v *view) {
	if v.machine == nil || v.facts.Throttled != "" || !cycle.NeedsPlane(&v.facts) {
		return
	}
	var err error
	v.plane, err = r.controlPlane(ctx, request, v.machine)
	switch {
	case err != nil:
		// This is about other machines. Whatever does not depend on them goes on.
		r.reportFailure(request, readPlane, err)
		v.facts.Throttled = "Sickbay cannot tell whether the rest of the control plane is up"
	case v.plane != nil:
		r.failures.Succeed(client.ObjectKeyFromObject(request), readPlane)
		v.facts.Throttled = quorum.Waits(*v.plane)
	}
}

// factsOf returns the facts in the RebootRemediation itself.
func factsOf(request *v1alpha1.RebootRemediation) cycle.Facts {
	facts := cycle.Facts{
		UID: request.UID, Spec: request.Spec, Status: request.Status,
		Deleting:      !request.DeletionTimestamp.IsZero(),
		Finalizer:     controllerutil.ContainsFinalizer(request, cycle.Finalizer),
		NodeFinalizer: controllerutil.ContainsFinalizer(request, cycle.NodeFinalizer),
	}
	if facts.Deleting {
		facts.DeletingSince = request.DeletionTimestamp.Time
	}
	return facts
}

// machineUnreadable records that the Machine of a recorded host, or its infrastructure machine, cannot be read. Of the Machine, only what
// is in the status is known then.
func (r *Reconciler) machineUnreadable(request *v1alpha1.RebootRemediation, v *view, why string, err error) {
	r.reportFailure(request, readMachine, err)
	v.facts.MachineUnreadable = why
	v.facts.Machine = cycle.MachineFacts{UID: request.Status.MachineUID}
}

func (r *Reconciler) nodeInTime(ctx context.Context, request *v1alpha1.RebootRemediation, m *machine) (cycle.NodeFacts, error) {
	if request.Status.Phase == v1alpha1.Pending {
		hasty, cancel := context.WithTimeout(ctx, hastyRead)
		defer cancel()
		ctx = hasty
	}
	return r.node(ctx, request, m)
}

// busyRetry is how long to wait before trying such a cluster again.
const busyRetry = time.Second

// clusterPlace is the place of one Reconcile in a workload cluster. Reconcile keeps it to the end, so that a cycle that has begun with its Node
// in a slow cluster can finish, and its deadlines do not pass while it queues.
type clusterPlace struct {
	places *workload.Places
	leave  func()
}

// take takes a place, unless Reconcile already has one.
func (p *clusterPlace) take(cluster client.ObjectKey) error {
	if p.leave != nil {
		return nil
	}
	leave, err := p.places.TryEnter(cluster)
	if err != nil {
		return err
	}
	p.leave = leave
	return nil
}

// giveUp frees the place, if there is one.
func (p *clusterPlace) giveUp() {
	if p.leave != nil {
		p.leave()
	}
}
