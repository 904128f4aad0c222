package world

import (
	"context"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// liveMachines is the client for MachineSets without the rate limit, which in Cluster API also makes a controller wait until
// its cache has its own last writes. Without that wait a MachineSet that does not see the Machine that it has just
// made takes the infrastructure of it for a leftover, and deletes it: the Machine never comes up.
type liveMachines struct {
	client.Client
	live client.Reader
}

// List implements client.Client.
func (c liveMachines) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if _, ok := list.(*clusterv1.MachineList); ok {
		return c.live.List(ctx, list, opts...)
	}
	return c.Client.List(ctx, list, opts...)
}
