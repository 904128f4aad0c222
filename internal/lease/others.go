package lease

import (
	"context"
	"fmt"
	"maps"
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

// clockSlack is how overdue a lease may be by its own timestamps, since clocks differ.
const clockSlack = time.Minute

// patience is how long a candidate watches a lease that is even more overdue: if it is renewed, a clock is wrong.
const patience = 15 * time.Second

// longest is how long a lease counts as held without being renewed, whatever it says itself. Sickbay's own leases last 15 seconds.
const longest = time.Minute

// narrowFor is how long not to list the leases of other namespaces after that was forbidden. An API server that has just started may refuse
// permitted requests.
const narrowFor = time.Minute

// Of reports whether a lease belongs to a manager of Sickbay.
func Of(lease *coordinationv1.Lease) bool {
	_, labelled := lease.Labels[scope.Label]
	return labelled
}

// Holder returns the holder of a lease; empty if it has none.
func Holder(lease *coordinationv1.Lease) string {
	if lease == nil || lease.Spec.HolderIdentity == nil {
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

// others are the leases of other managers.
type others struct {
	leases coordinationv1client.LeasesGetter
	// own is the lease of this manager. If no other namespace may be read, only its namespace is.
	own   client.ObjectKey
	scope scope.Scope
	clock clock.PassiveClock

	// trusted are the namespaces, besides our own, whose leases count; none means all.
	trusted []string

	// patience is how long a lease counts as held if it was long overdue when first seen.
	patience time.Duration

	mu   sync.Mutex
	seen map[client.ObjectKey]seen
	// narrow is until when only our own namespace is listed, because listing all was forbidden.
	narrow time.Time
}

// seen is the last renewal seen of a lease, and until when the lease counts as held. Since clocks differ, the lease's own timestamps are used
// only when it is first seen.
type seen struct {
	holder, renewed string
	until           time.Time
}

// overlapping returns the leases held by other managers with overlapping scopes, sorted by namespace and name.
func (o *others) overlapping(ctx context.Context) ([]coordinationv1.Lease, error) {
	all, err := o.list(ctx)
	if err != nil {
		return nil, err
	}
	o.forgetAllBut(all)
	all = slices.DeleteFunc(all, func(lease coordinationv1.Lease) bool {
		own := client.ObjectKeyFromObject(&lease) == o.own
		return own || !o.trusts(lease.Namespace) || !o.scope.Overlaps(scope.Of(lease.Annotations)) || !o.fresh(&lease)
	})
	slices.SortFunc(all, func(a, b coordinationv1.Lease) int {
		return strings.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name)
	})
	return all, nil
}

// trusts reports whether leases of a namespace count.
func (o *others) trusts(namespace string) bool {
	return len(o.trusted) == 0 || namespace == o.own.Namespace || slices.Contains(o.trusted, namespace)
}

// forgetAllBut forgets the leases that are gone.
func (o *others) forgetAllBut(all []coordinationv1.Lease) {
	exist := map[client.ObjectKey]bool{}
	for i := range all {
		exist[client.ObjectKeyFromObject(&all[i])] = true
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	maps.DeleteFunc(o.seen, func(key client.ObjectKey, _ seen) bool { return !exist[key] })
}

// fresh reports whether a lease is held, as far as we can see: somebody renewed it recently.
func (o *others) fresh(lease *coordinationv1.Lease) bool {
	if Holder(lease) == "" || lease.Spec.RenewTime == nil || lease.Spec.LeaseDurationSeconds == nil {
		return false
	}
	now, key := o.clock.Now(), client.ObjectKeyFromObject(lease)
	lasts := min(time.Duration(*lease.Spec.LeaseDurationSeconds)*time.Second, longest)
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

// list reads the leases of Sickbay's managers in all namespaces, or only in our own if others may not be read.
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
	list, err := o.leases.Leases(namespace).List(ctx, metav1.ListOptions{LabelSelector: scope.Label})
	if err != nil {
		return nil, fmt.Errorf("listing the leases of other managers: %w", err)
	}
	return list.Items, nil
}
