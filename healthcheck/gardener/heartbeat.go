package gardener

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordinationv1 "k8s.io/client-go/applyconfigurations/coordination/v1"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// heartbeatName is the name of the Lease that gardenlet reads.
const heartbeatName = "gardener-extension-heartbeat"

// heartbeatInterval is how often the Lease is renewed.
const heartbeatInterval = 30 * time.Second

// heartbeatRetry is how soon a failed renewal is retried.
const heartbeatRetry = 5 * time.Second

// Heartbeat renews the Lease of an extension. If it is not renewed, gardenlet treats the
// conditions of the extension as stale after five minutes.
type Heartbeat struct {
	// Client writes the Lease.
	Client client.Client
	// ExtensionName is the name of the extension, and Namespace the namespace that it runs
	// in.
	ExtensionName, Namespace string
	// Clock tells the time. The default is the real one.
	Clock clock.Clock
}

var _ manager.LeaderElectionRunnable = &Heartbeat{}

// AddHeartbeat makes mgr renew the Lease of an extension.
func AddHeartbeat(mgr manager.Manager, extensionName, namespace string) error {
	return mgr.Add(&Heartbeat{Client: mgr.GetClient(), ExtensionName: extensionName, Namespace: namespace})
}

// NeedLeaderElection implements manager.LeaderElectionRunnable: only a process that runs
// checks may renew the Lease.
func (h *Heartbeat) NeedLeaderElection() bool { return true }

// Start implements manager.Runnable.
func (h *Heartbeat) Start(ctx context.Context) error {
	c := h.Clock
	if c == nil {
		c = clock.RealClock{}
	}
	log := ctrl.LoggerFrom(ctx).WithName("heartbeat").WithValues("extension", h.ExtensionName)
	for {
		next := heartbeatInterval
		if err := h.Renew(ctx, c.Now()); err != nil {
			log.Error(err, "Heartbeat could not be renewed")
			next = heartbeatRetry
		}
		select {
		case <-ctx.Done():
			return nil
		case <-c.After(next):
		}
	}
}

// Renew renews the Lease once.
func (h *Heartbeat) Renew(ctx context.Context, now time.Time) error {
	lease := coordinationv1.Lease(heartbeatName, h.Namespace).WithSpec(coordinationv1.LeaseSpec().
		WithHolderIdentity(h.ExtensionName).
		WithLeaseDurationSeconds(int32(heartbeatInterval / time.Second)).
		WithRenewTime(metav1.NewMicroTime(now.UTC())))
	ctx, cancel := context.WithTimeout(ctx, heartbeatInterval)
	defer cancel()
	if err := h.Client.Apply(ctx, lease, client.FieldOwner("gardener-extension-heartbeat"), client.ForceOwnership); err != nil {
		return fmt.Errorf("renewing lease %s/%s: %w", h.Namespace, heartbeatName, err)
	}
	return nil
}
