package mhcspec

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Hold is an object on which nothing is repaired until a given time.
type Hold struct {
	// Kind is Machine, MachineHealthCheck or Cluster.
	Kind   string
	Object client.Object
	// Until is zero if it cannot be parsed.
	Until time.Time
}

// Holds lists from a cache what is on hold now. It reads only objects with the annotation.
func Holds(ctx context.Context, reader client.Reader, now time.Time) (holds []Hold, err error) {
	for _, one := range []struct {
		kind string
		list client.ObjectList
	}{{"Machine", &clusterv1.MachineList{}}, {"MachineHealthCheck", &clusterv1.MachineHealthCheckList{}}, {"Cluster", &clusterv1.ClusterList{}}} {
		err := reader.List(ctx, one.list, client.MatchingFields{leftAlone: leftByHold}, client.UnsafeDisableDeepCopy)
		if err == nil {
			err = meta.EachListItem(one.list, func(obj runtime.Object) error {
				if why, until := OnHold(now, obj.(client.Object)); why != "" {
					holds = append(holds, Hold{one.kind, obj.(client.Object), until})
				}
				return nil
			})
		}
		if err != nil {
			return nil, fmt.Errorf("listing what is on hold: %w", err)
		}
	}
	return holds, nil
}

// PausedMachines lists from a cache the paused machines, without reading any other. They are not copied: the caller must not change
// them.
func PausedMachines(ctx context.Context, reader client.Reader) ([]*clusterv1.Machine, error) {
	return machines(ctx, reader, "", leftAlone, leftByPause, "listing machines", "that are left alone")
}

// SkippedMachines lists the machines with skip-remediation in the same way.
func SkippedMachines(ctx context.Context, reader client.Reader) ([]*clusterv1.Machine, error) {
	return machines(ctx, reader, "", leftAlone, leftBySkip, "listing machines", "that are left alone")
}
