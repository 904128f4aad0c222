// Package announce has the manager say with which flags it decides, in labels of its lease, and has commands go by that. Without it a
// command that looks from outside would take a MachineHealthCheck for Sickbay's that the manager leaves to others.
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
	"github.com/sickbay-dev/sickbay/internal/targets"
)

// The labels are named as the flags are.
const (
	adoptLabel       = "sickbay.dev/adopt"
	watchFilterLabel = "sickbay.dev/watch-filter"
	gracePeriodLabel = "sickbay.dev/remote-conditions-grace-period"
)

// Flags are those that decide what is done with a machine.
type Flags struct {
	targets.Policy
	GracePeriod time.Duration
}

// Labels are what stands on the lease. An empty one is written too: it replaces that of a manager before.
func (f Flags) Labels() map[string]string {
	return map[string]string{
		adoptLabel: string(f.Adopt), watchFilterLabel: f.WatchFilter, gracePeriodLabel: f.GracePeriod.String(),
	}
}

// flags reads them back; false if the manager that holds a lease announces none, or not in a way that is understood.
func flags(labels map[string]string) (Flags, bool) {
	f := Flags{Policy: targets.Policy{Adopt: targets.Adoption(labels[adoptLabel]), WatchFilter: labels[watchFilterLabel]}}
	var err error
	f.GracePeriod, err = time.ParseDuration(labels[gracePeriodLabel])
	return f, err == nil && (f.Adopt == targets.AdoptAll || f.Adopt == targets.AdoptHandedOver)
}

// Heard is what a manager has announced last. It is false if nothing is announced, if two managers announce different flags, or if the lease
// cannot be read.
func Heard(ctx context.Context, reader client.Reader) (Flags, bool) {
	var leases coordinationv1.LeaseList
	if err := reader.List(ctx, &leases, client.HasLabels{adoptLabel}); err != nil {
		return Flags{}, false
	}
	var heard Flags
	known := false
	for _, one := range latest(leases.Items) {
		said, ok := flags(one.Labels)
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
