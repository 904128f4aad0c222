// Package announce has the manager say on its lease with which flags it decides, and has commands go by that. Without it a command that
// looks from outside would take a MachineHealthCheck for Sickbay's that the manager leaves to others. The watch filter is a part of the
// manager's scope, which the lease has anyway.
package announce

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

// The labels have the names of the flags.
const (
	adoptLabel       = "sickbay.dev/adopt"
	gracePeriodLabel = "sickbay.dev/remote-conditions-grace-period"
)

// Flags are those that decide what is done with a machine.
type Flags struct {
	mhcspec.Policy
	GracePeriod time.Duration
}

// Labels are those of the lease. The watch filter is not among them: the annotations have it.
func (f Flags) Labels() map[string]string {
	return map[string]string{adoptLabel: string(f.Adopt), gracePeriodLabel: f.GracePeriod.String()}
}

// flags reads what a lease announces; false if it announces nothing, or not in a way that is understood.
func flags(l *coordinationv1.Lease) (Flags, bool) {
	f := Flags{Policy: mhcspec.Policy{Adopt: mhcspec.Adoption(l.Labels[adoptLabel]), WatchFilter: scope.Of(l.Annotations).WatchFilter}}
	var err error
	f.GracePeriod, err = time.ParseDuration(l.Labels[gracePeriodLabel])
	return f, err == nil && (f.Adopt == mhcspec.AdoptAll || f.Adopt == mhcspec.AdoptHandedOver)
}

// Heard is what the manager that looks after a namespace has announced last; empty means all namespaces. It is false if nothing is announced,
// if two managers announce different flags, or if the leases cannot be read.
func Heard(ctx context.Context, reader client.Reader, namespace string) (Flags, bool) {
	var leases coordinationv1.LeaseList
	if err := reader.List(ctx, &leases, client.HasLabels{adoptLabel}); err != nil {
		return Flags{}, false
	}
	leases.Items = slices.DeleteFunc(leases.Items, func(l coordinationv1.Lease) bool {
		return !scope.Leader{Scope: scope.Of(l.Annotations)}.Looks(namespace)
	})
	var heard Flags
	known := false
	for _, one := range latest(leases.Items) {
		said, ok := flags(&one)
		if !ok {
			continue
		}
		if known && said != heard {
			return Flags{}, false
		}
		heard, known = said, true
	}
	return heard, known
}

// clockSlack is by how much the clocks of two managers may differ.
const clockSlack = time.Minute

// latest are the leases of managers that lead at the same time, or else the one that was held last. A manager that was given other flags leaves
// the lease that it had with those before.
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

// renewed is when somebody last had a lease.
func renewed(l *coordinationv1.Lease) time.Time {
	return ptr.Deref(l.Spec.RenewTime, metav1.MicroTime{}).Time
}
