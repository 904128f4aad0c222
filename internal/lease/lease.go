// Package lease has the lease by which one of several managers leads. Its labels say what its holder manages, so that commands can tell
// without asking it.
package lease

import (
	"fmt"
	"os"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// timeout bounds each request: a request that hangs must not cost the leadership, which is lost 10 seconds after the last renewal.
const timeout = 5 * time.Second

// NewLock makes the lock of a manager that competes for a lease. While it leads, the lease has its labels.
func NewLock(cfg *rest.Config, key client.ObjectKey, labels map[string]string) (*resourcelock.LeaseLock, error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, fmt.Errorf("reading the name of this host: %w", err)
	}
	cfg = rest.AddUserAgent(rest.CopyConfig(cfg), "leader-election")
	cfg.Timeout = timeout
	leases, err := coordinationv1client.NewForConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("making a client for leases: %w", err)
	}
	return &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name},
		Client:     leases,
		LockConfig: resourcelock.ResourceLockConfig{Identity: host + "_" + string(uuid.NewUUID())},
		Labels:     labels,
	}, nil
}

// Holder returns the holder of a lease; empty if it has none.
func Holder(lease *coordinationv1.Lease) string {
	if lease.Spec.HolderIdentity == nil {
		return ""
	}
	return *lease.Spec.HolderIdentity
}

// Held reports whether a lease has a holder that renewed it in time, with some slack.
func Held(lease *coordinationv1.Lease, now time.Time, slack time.Duration) bool {
	s := lease.Spec
	if Holder(lease) == "" || s.RenewTime == nil || s.LeaseDurationSeconds == nil {
		return false
	}
	return now.Before(s.RenewTime.Add(time.Duration(*s.LeaseDurationSeconds)*time.Second + slack))
}
