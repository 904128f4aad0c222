package reboot

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	storagev1 "k8s.io/api/storage/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

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
