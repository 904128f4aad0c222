package reboot

import (
	"context"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
)

const (
	// lookForNode is how often the Node is looked at while the controller waits for something that nobody announces.
	lookForNode = 10 * time.Second
	// lookForOwed is the same after the end, as long as the Node is owed something.
	lookForOwed = 10 * time.Minute
)

// wakeByNodes has the Nodes of workload clusters wake up the controller, and the news that a cluster can be reached.
func (r *Reconciler) wakeByNodes(ctl controller.Controller) error {
	if r.Clusters == nil {
		return nil
	}
	r.watchNodes = func(ctx context.Context, cluster client.ObjectKey) error {
		return r.Clusters.Watch(ctx, r.name(), cluster, ctl, r.ofNode)
	}
	return ctl.Watch(r.Clusters.Cache.GetClusterSource(r.name(), r.ofCluster))
}

// ofNode maps a Node to the RebootRemediations that wait for one of its name. Those of another cluster in the same
// namespace look in vain.
func (r *Reconciler) ofNode(ctx context.Context, cluster client.ObjectKey, node string) []ctrl.Request {
	return r.requests(ctx, cluster.Namespace, func(request *v1alpha1.RebootRemediation) bool {
		return wantsNode(request) && request.Status.Node != nil && request.Status.Node.Name == node
	})
}

// ofCluster maps a workload cluster to the RebootRemediations that may wait for it.
func (r *Reconciler) ofCluster(ctx context.Context, cluster client.Object) []ctrl.Request {
	return r.requests(ctx, cluster.GetNamespace(), wantsNode)
}

// wantsNode reports whether news of the Node matters: while a cycle waits for it, and after the end as long as it is owed
// something.
func wantsNode(request *v1alpha1.RebootRemediation) bool {
	phase := request.Status.Phase
	return cycle.LooksForNode(phase) || (phase.Ended() && cycle.OwesAnything(&request.Status))
}

// requeueAfter is when a decision may change, if nothing happens before that wakes up the controller.
func (r *Reconciler) requeueAfter(ctx context.Context, request *v1alpha1.RebootRemediation, v view, d cycle.Decision) time.Duration {
	wait := r.SyncPeriod
	if !d.RecheckAt.IsZero() {
		wait = max(d.RecheckAt.Sub(r.Clock.Now()), time.Millisecond)
	}
	if wantsNode(request) {
		wait = min(wait, r.nodeAgain(ctx, request, v))
	}
	if v.facts.Throttled != "" {
		// Nobody announces that the rest of a control plane is up.
		wait = min(wait, lookForNode)
	}
	return wait
}

// nodeAgain is how soon the Node is looked at again. It is watched in any phase in which it may come back.
func (r *Reconciler) nodeAgain(ctx context.Context, request *v1alpha1.RebootRemediation, v view) time.Duration {
	phase := request.Status.Phase
	if phase == v1alpha1.Fenced || phase == v1alpha1.Isolating {
		return lookForNode
	}
	watched := r.watched(ctx, v) && !request.Spec.TaintsNode()
	switch {
	case watched && (phase.Ended() || phase == v1alpha1.WaitingForNode):
		return r.SyncPeriod
	case phase.Ended():
		return lookForOwed
	}
	return lookForNode
}

// watched tells that an event says when the Node is back. Nobody tells of its Pods and volumes, nor of a boot that was too quick
// for the Node to become unready, which is of interest if it is tainted.
func (r *Reconciler) watched(ctx context.Context, v view) bool {
	return r.watchNodes != nil && v.machine != nil && r.watchNodes(ctx, v.machine.cluster) == nil
}
