// Package leaseflags makes the manager publish its flags on its lease, and commands use them. Otherwise a command that runs outside of the
// manager would take a MachineHealthCheck for Sickbay's although the manager leaves it to others. The watch filter is part of the manager's scope,
// which the lease shows anyway.
package leaseflags

import (
	"context"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/lease"
	"github.com/sickbay-dev/sickbay/internal/lease/scope"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// The labels are named after the flags.
const (
	adoptLabel       = "sickbay.dev/adopt"
	gracePeriodLabel = "sickbay.dev/remote-conditions-grace-period"
)

// Flags are the flags that decide what happens to a machine.
type Flags struct {
	mhcspec.Policy
	GracePeriod time.Duration
}

// Labels returns the labels of the lease, beside those of the manager's scope.
func (f Flags) Labels() map[string]string {
	return map[string]string{adoptLabel: string(f.Adopt), gracePeriodLabel: f.GracePeriod.String()}
}

// flags reads what a lease announces; false if it announces nothing, or nothing valid.
func flags(l *coordinationv1.Lease) (Flags, bool) {
	s := scope.Of(l.Labels)
	f := Flags{Policy: mhcspec.Policy{Adopt: mhcspec.Adoption(l.Labels[adoptLabel]), WatchFilter: s.WatchFilter, Drain: s.Drain}}
	var err error
	f.GracePeriod, err = time.ParseDuration(l.Labels[gracePeriodLabel])
	return f, err == nil && (f.Adopt == mhcspec.AdoptAll || f.Adopt == mhcspec.AdoptHandedOver)
}

// Read returns the flags that the manager of a namespace announced last; empty means all namespaces. It is false if nothing is announced, if
// two managers announce different flags, or if the leases cannot be read. A manager that has gone drains no more.
func Read(ctx context.Context, reader client.Reader, namespace string, now time.Time) (Flags, bool) {
	var leases coordinationv1.LeaseList
	if err := reader.List(ctx, &leases, client.HasLabels{adoptLabel}); err != nil {
		return Flags{}, false
	}
	leases.Items = slices.DeleteFunc(leases.Items, func(l coordinationv1.Lease) bool {
		return !scope.Of(l.Labels).Looks(namespace)
	})
	var found Flags
	known := false
	for _, one := range latest(leases.Items) {
		said, ok := flags(&one)
		if !ok {
			continue
		}
		said.Drain = said.Drain && lease.Held(&one, now, clockSlack)
		if known && said != found {
			return Flags{}, false
		}
		found, known = said, true
	}
	return found, known
}

// clockSlack is how much the clocks of two managers may differ.
const clockSlack = time.Minute

// latest returns the leases of managers that lead at the same time, or else the lease that was held last. A manager that restarts with other
// flags may leave its old lease behind.
func latest(leases []coordinationv1.Lease) []coordinationv1.Lease {
	var last time.Time
	for i := range leases {
		if at := renewed(&leases[i]); at.After(last) {
			last = at
		}
	}
	leases = slices.DeleteFunc(leases, func(l coordinationv1.Lease) bool {
		return renewed(&l).Add(time.Duration(ptr.Deref(l.Spec.LeaseDurationSeconds, 0))*time.Second + clockSlack).Before(last)
	})
	held := func(l coordinationv1.Lease) bool { return lease.Holder(&l) != "" }
	anyHeld := slices.ContainsFunc(leases, held)
	return slices.DeleteFunc(leases, func(l coordinationv1.Lease) bool {
		return anyHeld && !held(l) || !anyHeld && renewed(&l).Before(last)
	})
}

// renewed returns when a lease was last renewed.
func renewed(l *coordinationv1.Lease) time.Time {
	return ptr.Deref(l.Spec.RenewTime, metav1.MicroTime{}).Time
}
