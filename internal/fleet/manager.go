package fleet

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/lease"
	"github.com/sickbay-dev/sickbay/internal/lease/scope"
)

// manager returns who leads. It reads that from the API server, and fails if the API server does not answer, since the caches may
// be stale then.
func (o *Observer) manager(ctx context.Context, namespace string) (explain.Manager, error) {
	if !o.AskManagers {
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
	return o.leader(leases, namespace), nil
}

// leader returns who holds the leases for a namespace; empty means all.
func (o *Observer) leader(leases []coordinationv1.Lease, namespace string) explain.Manager {
	var m explain.Manager
	var leads []string
	for i := range leases {
		l, of := &leases[i], scope.Of(leases[i].Labels)
		if !lease.Held(l, o.Clock.Now(), 0) || !of.Looks(namespace) {
			continue
		}
		m.Name = cmp.Or(m.Name, lease.Holder(l))
		words := lease.Holder(l) + " leads"
		if l.Name != scope.DefaultLease {
			words += " (" + of.String() + ")"
		}
		if of.Drain {
			words += " and drains: it hands everything back, and repairs nothing"
		}
		leads = append(leads, words)
	}
	if len(leases) == 0 {
		m.Unknown = scope.NoLease
	}
	m.Leads = strings.Join(leads, "; ")
	return m
}

// leases returns the leases of all managers, sorted by namespace and name. If their namespace is not known, it reads all
// namespaces.
func (o *Observer) leases(ctx context.Context) ([]coordinationv1.Lease, error) {
	var list coordinationv1.LeaseList
	if err := o.Live.List(ctx, &list, client.InNamespace(o.LeaseNamespace), client.HasLabels{scope.Label}); err != nil {
		return nil, err
	}
	key := func(l coordinationv1.Lease) string { return l.Namespace + "/" + l.Name }
	slices.SortFunc(list.Items, func(a, b coordinationv1.Lease) int { return strings.Compare(key(a), key(b)) })
	return list.Items, nil
}
