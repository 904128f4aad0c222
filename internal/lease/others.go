package lease

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/lease/scope"
)

// clockSlack is by how much a lease may be overdue by its own times, as clocks differ.
const clockSlack = time.Minute

// patience is how long who wants to lead looks whether a lease is renewed that is overdue by more: then a clock is wrong.
const patience = 15 * time.Second

// narrowFor is how long leases of other namespaces are not asked for after that was forbidden. An API server that has just begun may refuse
// what is allowed.
const narrowFor = time.Minute

// Of reports whether a lease is one of Sickbay's managers. Those of earlier versions have no label.
func Of(lease *coordinationv1.Lease) bool {
	_, labelled := lease.Labels[scope.Label]
	return labelled || lease.Name == scope.DefaultLease
}

// Holder is who holds a lease; empty if nobody does.
func Holder(lease *coordinationv1.Lease) string {
	if lease == nil || lease.Spec.HolderIdentity == nil {
		return ""
	}
	return *lease.Spec.HolderIdentity
}

// Held reports whether a lease has a holder that has renewed it in time, with some slack.
func Held(lease *coordinationv1.Lease, now time.Time, slack time.Duration) bool {
	s := lease.Spec
	if Holder(lease) == "" || s.RenewTime == nil || s.LeaseDurationSeconds == nil {
		return false
	}
	return now.Before(s.RenewTime.Add(time.Duration(*s.LeaseDurationSeconds)*time.Second + slack))
}

// others are the leases of other managers.
type others struct {
	leases coordinationv1client.LeasesGetter
	// own is the lease of this manager. Its namespace alone is looked at if no other may be.
	own   client.ObjectKey
	scope scope.Scope
	clock clock.PassiveClock

	// patience is how long a lease counts as held that was long overdue when it was first seen.
	patience time.Duration

	mu   sync.Mutex
	seen map[client.ObjectKey]seen
	// narrow is until when leases of all namespaces are not listed, as they may not be.
	narrow time.Time
}

// seen is when a lease was seen to be renewed, and until when it counts as held. Its own times say how old it was when it was first seen, and
// nothing else: clocks differ.
type seen struct {
	holder, renewed string
	until           time.Time
}

// overlapping are the leases that are held by managers of overlapping scopes, the first by namespace and name first.
func (o *others) overlapping(ctx context.Context) ([]coordinationv1.Lease, error) {
	all, err := o.list(ctx)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(lease coordinationv1.Lease) bool {
		own := client.ObjectKeyFromObject(&lease) == o.own
		return own || !o.scope.Overlaps(scope.Of(lease.Annotations)) || !o.fresh(&lease)
	})
	slices.SortFunc(all, func(a, b coordinationv1.Lease) int {
		return strings.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name)
	})
	return all, nil
}

// fresh reports whether a lease is held, as far as anybody can see: it has been renewed lately.
func (o *others) fresh(lease *coordinationv1.Lease) bool {
	if Holder(lease) == "" || lease.Spec.RenewTime == nil || lease.Spec.LeaseDurationSeconds == nil {
		return false
	}
	now, key := o.clock.Now(), client.ObjectKeyFromObject(lease)
	lasts := time.Duration(*lease.Spec.LeaseDurationSeconds) * time.Second
	o.mu.Lock()
	defer o.mu.Unlock()
	last, known := o.seen[key]
	current := seen{holder: Holder(lease), renewed: lease.Spec.RenewTime.String(), until: now.Add(lasts)}
	if !known && !Held(lease, now, clockSlack) {
		current.until = now.Add(min(lasts, o.patience))
	}
	if last.holder != current.holder || last.renewed != current.renewed {
		last = current
		o.seen[key] = last
	}
	return now.Before(last.until)
}

// list reads the leases of Sickbay's managers: in all namespaces, or in the own one if no others may be read.
func (o *others) list(ctx context.Context) ([]coordinationv1.Lease, error) {
	o.mu.Lock()
	narrow := o.clock.Now().Before(o.narrow)
	o.mu.Unlock()
	if !narrow {
		all, err := o.listIn(ctx, metav1.NamespaceAll)
		if !apierrors.IsForbidden(err) {
			return all, err
		}
		o.mu.Lock()
		o.narrow = o.clock.Now().Add(narrowFor)
		o.mu.Unlock()
	}
	return o.listIn(ctx, o.own.Namespace)
}

func (o *others) listIn(ctx context.Context, namespace string) ([]coordinationv1.Lease, error) {
	var all []coordinationv1.Lease
	for _, options := range []metav1.ListOptions{{LabelSelector: scope.Label}, {FieldSelector: "metadata.name=" + scope.DefaultLease}} {
		list, err := o.leases.Leases(namespace).List(ctx, options)
		if err != nil {
			return nil, fmt.Errorf("listing the leases of other managers: %w", err)
		}
		all = append(all, list.Items...)
	}
	slices.SortStableFunc(all, func(a, b coordinationv1.Lease) int { return strings.Compare(string(a.UID), string(b.UID)) })
	return slices.CompactFunc(all, func(a, b coordinationv1.Lease) bool { return a.UID == b.UID }), nil
}
