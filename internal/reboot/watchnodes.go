package reboot

import (
	"context"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

const (
	// lookForNode is how often to read the Node while the controller waits for something that causes no event.
	lookForNode = 10 * time.Second
	// lookForOwed is the same after the end, if the Node is still owed something.
	lookForOwed = 10 * time.Minute
)

// wakeByNodes wakes the controller when Nodes of workload clusters change, and when a cluster becomes reachable.
func (r *Reconciler) wakeByNodes(ctl controller.Controller) error {
	if r.Clusters == nil {
		return nil
	}
	reads := r.reads()
	r.watchNodes = func(ctx context.Context, cluster client.ObjectKey) error {
		return r.Clusters.Watch(ctx, r.name(), cluster, ctl, reads.ofNode)
	}
	return ctl.Watch(r.Clusters.Reachable(r.name(), reads.ofCluster))
}

// ofNode maps a Node to the RebootRemediations that wait for a Node of its name. This also wakes some of other clusters in the
// same namespace, for nothing.
func (r reader) ofNode(ctx context.Context, cluster client.ObjectKey, node string) []ctrl.Request {
	return r.rebootsIn(ctx, cluster.Namespace, func(request *v1alpha1.RebootRemediation) bool {
		return wantsNode(request) && request.Status.Node != nil && request.Status.Node.Name == node
	})
}

// ofCluster maps a workload cluster to the RebootRemediations that may be waiting for it.
func (r reader) ofCluster(ctx context.Context, cluster client.Object) []ctrl.Request {
	return r.rebootsIn(ctx, cluster.GetNamespace(), wantsNode)
}

// wantsNode reports whether changes of the Node matter: while a cycle waits for it, and after the end while it is still owed
// something.
func wantsNode(request *v1alpha1.RebootRemediation) bool {
	phase := request.Status.Phase
	return cycle.LooksForNode(phase) || (phase.Ended() && cycle.OwesAnything(&request.Status))
}

// requeueAfter returns how long to wait before looking again if no event wakes the controller before.
func (r *Reconciler) requeueAfter(ctx context.Context, v observed, d cycle.Decision) time.Duration {
	wait := scaffold.RequeueAfter(d.RecheckAt, r.Clock.Now(), r.SyncPeriod)
	if wantsNode(v.request) {
		wait = min(wait, r.nodeAgain(ctx, v))
	}
	if v.facts.Throttled != "" {
		// No event says that the rest of a control plane is up.
		wait = min(wait, lookForNode)
	}
	return wait
}

// nodeAgain returns how long to wait before reading the Node again. Where an event says that the Node is back, the SyncPeriod is enough.
func (r *Reconciler) nodeAgain(ctx context.Context, v observed) time.Duration {
	phase := v.request.Status.Phase
	if phase == v1alpha1.Fenced || phase == v1alpha1.Isolating {
		return lookForNode
	}
	watched := r.watched(ctx, v) && !cycle.TaintsNode(&v.request.Spec, &v.request.Status)
	switch {
	case watched && (phase.Ended() || phase == v1alpha1.WaitingForNode):
		return r.SyncPeriod
	case phase.Ended():
		return lookForOwed
	}
	return lookForNode
}

// watched reports whether the controller watches the Node. No event covers the Node's Pods and volumes, nor a boot so quick that
// the Node stays Ready, which matters if it is tainted.
func (r *Reconciler) watched(ctx context.Context, v observed) bool {
	return r.watchNodes != nil && v.machine != nil && r.watchNodes(ctx, v.machine.cluster) == nil
}
