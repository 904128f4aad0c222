package fleet

import (
	"context"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/explain"
)

// manager says who leads, by the lease. The namespace of the manager is not known.
func (o *Observer) manager(ctx context.Context) explain.Manager {
	if o.Lease == "" {
		return explain.Manager{}
	}
	var leases coordinationv1.LeaseList
	if err := o.Live.List(ctx, &leases, client.MatchingFields{"metadata.name": o.Lease}); err != nil {
		return explain.Manager{Unknown: "you may not read its lease"}
	}
	now := o.Clock.Now()
	leads := func(l coordinationv1.Lease) bool {
		s := l.Spec
		if s.HolderIdentity == nil || *s.HolderIdentity == "" || s.RenewTime == nil || s.LeaseDurationSeconds == nil {
			return false
		}
		return now.Before(s.RenewTime.Add(time.Duration(*s.LeaseDurationSeconds) * time.Second))
	}
	if i := slices.IndexFunc(leases.Items, leads); i >= 0 {
		return explain.Manager{Name: *leases.Items[i].Spec.HolderIdentity}
	}
	if len(leases.Items) == 0 {
		return explain.Manager{Unknown: "there is no lease " + o.Lease + "; it may run without leader election"}
	}
	return explain.Manager{}
}
