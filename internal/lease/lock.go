package lease

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"time"

	"github.com/go-logr/logr"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/lease/scope"
)

// timeout bounds each request: a request that hangs must not cost the leadership, which is lost 10 seconds after the last renewal.
const timeout = 5 * time.Second

// Lock is the lease of a manager. It records the holder's scope, and cannot be acquired while another manager holds a lease with an
// overlapping scope.
type Lock struct {
	// Recorder emits events about leases; it may be nil.
	Recorder events.EventRecorder

	others   *others
	identity string
	log      logr.Logger
	labels   map[string]string
	lease    *coordinationv1.Lease
	// renewed is the version of our lease when somebody else was last seen to renew it.
	renewed string
	// leads reports whether this manager holds its lease, and has looked for others since it took it.
	leads bool
	waits waits
}

var _ resourcelock.Interface = &Lock{}

// NewLock makes the lock of a manager. key is its lease, and labels are what the manager announces on it.
func NewLock(cfg *rest.Config, key client.ObjectKey, s scope.Scope, labels map[string]string, log logr.Logger) (*Lock, error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, fmt.Errorf("reading the name of this host: %w", err)
	}
	all, err := newOthers(cfg, key, s)
	if err != nil {
		return nil, err
	}
	all.patience = patience
	return &Lock{others: all, identity: host + "_" + string(uuid.NewUUID()), labels: labels, log: log}, nil
}

// Trust makes the manager wait only for leases in its own namespace and in these. Without any, those of all namespaces count.
func (l *Lock) Trust(namespaces ...string) { l.others.trusted = namespaces }

func newOthers(cfg *rest.Config, own client.ObjectKey, s scope.Scope) (*others, error) {
	cfg = rest.AddUserAgent(rest.CopyConfig(cfg), "leader-election")
	cfg.Timeout = timeout
	leases, err := coordinationv1client.NewForConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("making a client for leases: %w", err)
	}
	return &others{leases: leases, own: own, scope: s, clock: clock.RealClock{}, seen: map[client.ObjectKey]seen{}}, nil
}

// Get returns the record of the manager that must let go before this one may lead: the holder of its lease, or else one with an overlapping
// scope.
func (l *Lock) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	lease, err := l.client().Get(ctx, l.others.own.Name, metav1.GetOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return nil, nil, fmt.Errorf("getting lease %s: %w", l.others.own, err)
	}
	if err != nil {
		lease = nil
	}
	l.lease = lease
	holder := Holder(lease)
	switch {
	case holder == l.identity:
		return record(lease)
	case holder != "" && lease.ResourceVersion != l.renewed:
		// Somebody renewed it, so its holder is alive.
		l.renewed = lease.ResourceVersion
		l.waitsFor(lease)
		return record(lease)
	}
	overlapping, listErr := l.others.overlapping(ctx)
	switch {
	case listErr != nil && !apierrors.IsForbidden(listErr):
		return nil, nil, listErr
	case len(overlapping) > 0:
		l.waitsFor(&overlapping[0])
		return record(&overlapping[0])
	}
	if l.waits.key != l.others.own {
		// The manager that this one waited for is gone. For its own lease, one missed renewal does not show that.
		l.waits.end()
	}
	if lease == nil {
		return nil, nil, err
	}
	return record(lease)
}

func record(lease *coordinationv1.Lease) (*resourcelock.LeaderElectionRecord, []byte, error) {
	r := resourcelock.LeaseSpecToLeaderElectionRecord(&lease.Spec)
	raw, err := json.Marshal(r)
	if err != nil {
		return nil, nil, fmt.Errorf("writing down who leads: %w", err)
	}
	return r, raw, nil
}

// Create takes a lease that does not exist yet.
func (l *Lock) Create(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: l.others.own.Namespace, Name: l.others.own.Name}}
	l.fill(lease, r)
	created, err := l.client().Create(ctx, lease, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("creating lease %s: %w", l.others.own, err)
	}
	return l.written(ctx, created)
}

// Update takes, renews or releases the lease, if nobody has changed it meanwhile.
func (l *Lock) Update(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	if l.lease == nil {
		return l.Create(ctx, r)
	}
	lease := l.lease.DeepCopy()
	l.fill(lease, r)
	updated, err := l.client().Update(ctx, lease, metav1.UpdateOptions{})
	if err != nil {
		return fmt.Errorf("updating lease %s: %w", l.others.own, err)
	}
	return l.written(ctx, updated)
}

// written handles a written lease. A manager that has just taken its lease looks for others once more, and releases it if there are any: if
// two managers take their leases at the same moment, at least one sees the other.
func (l *Lock) written(ctx context.Context, lease *coordinationv1.Lease) error {
	l.lease = lease
	if Holder(lease) != l.identity {
		l.leads = false
		return nil
	}
	if !l.leads {
		if err := l.alone(ctx); err != nil {
			return errors.Join(err, l.letGo(ctx))
		}
	}
	l.leads = true
	l.waits.end()
	return nil
}

// alone returns an error if another manager holds a lease with an overlapping scope.
func (l *Lock) alone(ctx context.Context) error {
	overlapping, err := l.others.overlapping(ctx)
	switch {
	case err != nil && !apierrors.IsForbidden(err):
		return err
	case len(overlapping) > 0:
		return fmt.Errorf("the holder of lease %s has begun at the same moment", client.ObjectKeyFromObject(&overlapping[0]))
	}
	return nil
}

// letGo releases the lease.
func (l *Lock) letGo(ctx context.Context) error {
	lease := l.lease.DeepCopy()
	lease.Spec.HolderIdentity = new("")
	updated, err := l.client().Update(ctx, lease, metav1.UpdateOptions{})
	if err != nil {
		return fmt.Errorf("giving lease %s back: %w", l.others.own, err)
	}
	l.lease = updated
	return nil
}

// fill writes who leads, and the scope of that manager.
func (l *Lock) fill(lease *coordinationv1.Lease, r resourcelock.LeaderElectionRecord) {
	lease.Spec = resourcelock.LeaderElectionRecordToLeaseSpec(&r)
	// An earlier holder with other flags may have left its labels.
	maps.DeleteFunc(lease.Labels, func(key, _ string) bool { return strings.HasPrefix(key, v1alpha1.GroupVersion.Group+"/") })
	lease.Labels = with(with(lease.Labels, l.labels), map[string]string{scope.Label: ""})
	lease.Annotations = with(lease.Annotations, l.others.scope.Annotations())
}

func with(all, more map[string]string) map[string]string {
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, more)
	return all
}

// RecordEvent emits an event on the lease about who leads.
func (l *Lock) RecordEvent(what string) {
	if l.Recorder != nil && l.lease != nil {
		l.Recorder.Eventf(about(l.lease), nil, corev1.EventTypeNormal, "LeaderElection", "Elect", "%s %s", l.identity, what)
	}
}

// about returns the object that an event about a lease regards.
func about(lease *coordinationv1.Lease) *coordinationv1.Lease {
	lease = &coordinationv1.Lease{ObjectMeta: lease.ObjectMeta}
	lease.SetGroupVersionKind(coordinationv1.SchemeGroupVersion.WithKind("Lease"))
	return lease
}

// Identity returns the name of this manager.
func (l *Lock) Identity() string { return l.identity }

// Describe returns the name of the lease.
func (l *Lock) Describe() string { return l.others.own.String() }

func (l *Lock) client() coordinationv1client.LeaseInterface {
	return l.others.leases.Leases(l.others.own.Namespace)
}
