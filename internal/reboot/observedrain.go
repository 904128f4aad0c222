package reboot

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
)

// drained reports whether no volume is attached to a Node, and only Pods that tolerate the taint are left on it.
func (r *Reconciler) drained(ctx context.Context, cluster client.ObjectKey, node string) (bool, error) {
	c, err := r.Workload.Client(ctx, cluster)
	if err != nil {
		return false, fmt.Errorf("connecting to the workload cluster: %w", err)
	}
	var pods corev1.PodList
	if err := c.List(ctx, &pods, client.MatchingFields{"spec.nodeName": node}); err != nil {
		return false, fmt.Errorf("listing the Pods of Node %s: %w", node, err)
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		if pod.DeletionTimestamp != nil || !tolerates(ctx, pod) {
			return false, nil
		}
	}
	attached, err := r.volumes.in(cluster).attached(ctx, c, node, r.Clock.Now())
	return !attached, err
}

// tolerates reports whether a Pod tolerates the taint forever. A Pod that tolerates it for a limited time leaves in the end, but until
// then it keeps the Node from being drained.
func tolerates(ctx context.Context, pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Spec.Tolerations, func(t corev1.Toleration) bool {
		return t.TolerationSeconds == nil && t.ToleratesTaint(ctrl.LoggerFrom(ctx), &cycle.OutOfService, false)
	})
}

// volumes lets all cycles share the lists of VolumeAttachments of each workload cluster. The zero value is ready to use.
type volumes struct {
	of sync.Map // client.ObjectKey -> *attachments
}

func (v *volumes) in(cluster client.ObjectKey) *attachments {
	kept, _ := v.of.LoadOrStore(cluster, &attachments{listing: make(chan struct{}, 1)})
	return kept.(*attachments)
}

// attachments are the VolumeAttachments of one workload cluster. Only the goroutine that has sent to listing may list, and use the
// fields below it.
type attachments struct {
	// begun counts the lists.
	begun   atomic.Int64
	listing chan struct{}

	// last is the number of the last list that succeeded, at is when it began, and nodes are the Nodes that have volumes in it.
	last  int64
	at    time.Time
	nodes map[string]bool
}

// attached reports whether a volume is attached to a Node. It believes an earlier list that says yes for lookForNode, but one that
// says no only if it began after this call. So callers that wait while another one lists share the next list.
func (a *attachments) attached(ctx context.Context, c client.Reader, node string, now time.Time) (bool, error) {
	asked := a.begun.Load()
	select {
	case a.listing <- struct{}{}:
		defer func() { <-a.listing }()
	case <-ctx.Done():
		return false, ctx.Err()
	}
	if a.last > asked || (a.nodes[node] && now.Before(a.at.Add(lookForNode))) {
		return a.nodes[node], nil
	}
	number := a.begun.Add(1)
	var list storagev1.VolumeAttachmentList
	if err := c.List(ctx, &list); err != nil {
		return false, fmt.Errorf("listing VolumeAttachments: %w", err)
	}
	a.last, a.at, a.nodes = number, now, map[string]bool{}
	for i := range list.Items {
		a.nodes[list.Items[i].Spec.NodeName] = true
	}
	return a.nodes[node], nil
}
