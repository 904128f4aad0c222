package fleet

import (
	"context"
	"fmt"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/explain"
)

// manager says who leads. That is read from the API server: it is an error if that does not answer, as the caches may be old then.
func (o *Observer) manager(ctx context.Context) (explain.Manager, error) {
	if o.Lease == "" {
		return explain.Manager{}, nil
	}
	leases, err := o.leases(ctx)
	unread := apierrors.IsForbidden(err) || apierrors.IsNotFound(err)
	switch {
	case err != nil && !unread:
		return explain.Manager{}, fmt.Errorf("asking the API server who leads: %w", err)
	case o.Alone != "":
		return explain.Manager{Name: o.Alone}, nil
	case unread:
		return explain.Manager{Unknown: "you may not read its lease"}, nil
	}
	return o.leader(leases), nil
}

// leader is who holds one of the leases.
func (o *Observer) leader(leases []coordinationv1.Lease) explain.Manager {
	now := o.Clock.Now()
	leads := func(l coordinationv1.Lease) bool {
		s := l.Spec
		if s.HolderIdentity == nil || *s.HolderIdentity == "" || s.RenewTime == nil || s.LeaseDurationSeconds == nil {
			return false
		}
		return now.Before(s.RenewTime.Add(time.Duration(*s.LeaseDurationSeconds) * time.Second))
	}
	if i := slices.IndexFunc(leases, leads); i >= 0 {
		return explain.Manager{Name: *leases[i].Spec.HolderIdentity}
	}
	if len(leases) == 0 {
		return explain.Manager{Unknown: "there is no lease " + o.Lease + "; it may run without leader election"}
	}
	return explain.Manager{}
}

// leases are those of the name, in all namespaces if it is not known in which one.
func (o *Observer) leases(ctx context.Context) ([]coordinationv1.Lease, error) {
	if o.LeaseNamespace == "" {
		var list coordinationv1.LeaseList
		err := o.Live.List(ctx, &list, client.MatchingFields{"metadata.name": o.Lease})
		return list.Items, err
	}
	var lease coordinationv1.Lease
	err := o.Live.Get(ctx, client.ObjectKey{Namespace: o.LeaseNamespace, Name: o.Lease}, &lease)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return []coordinationv1.Lease{lease}, err
}
