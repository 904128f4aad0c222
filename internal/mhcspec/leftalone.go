package mhcspec

import (
	"context"
	"fmt"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/uncopied"
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
func Holds(ctx context.Context, reader client.Reader, now time.Time) ([]Hold, error) {
	objects, err := annotated(ctx, reader)
	if err != nil {
		return nil, err
	}
	var holds []Hold
	for _, one := range objects {
		if why, until := OnHold(now, one.Object); why != "" {
			one.Until = until
			holds = append(holds, one)
		}
	}
	return holds, nil
}

// annotated lists the objects that have a hold in their annotations; it may be over.
func annotated(ctx context.Context, reader client.Reader) ([]Hold, error) {
	by := []client.ListOption{client.MatchingFields{leftAlone: leftByHold}, client.UnsafeDisableDeepCopy}
	var machines clusterv1.MachineList
	var checks clusterv1.MachineHealthCheckList
	var clusters clusterv1.ClusterList
	for _, list := range []client.ObjectList{&machines, &checks, &clusters} {
		if err := reader.List(ctx, list, by...); err != nil {
			return nil, fmt.Errorf("listing what is on hold: %w", err)
		}
	}
	var all []Hold
	for i := range machines.Items {
		all = append(all, Hold{Kind: "Machine", Object: &machines.Items[i]})
	}
	for i := range checks.Items {
		all = append(all, Hold{Kind: "MachineHealthCheck", Object: &checks.Items[i]})
	}
	for i := range clusters.Items {
		all = append(all, Hold{Kind: "Cluster", Object: &clusters.Items[i]})
	}
	return all, nil
}

// PausedMachines lists from a cache the paused machines, without reading any other. They are not copied: the caller must not change
// them.
func PausedMachines(ctx context.Context, reader client.Reader) ([]*clusterv1.Machine, error) {
	return leftMachines(ctx, reader, leftByPause)
}

// SkippedMachines lists the machines with skip-remediation in the same way.
func SkippedMachines(ctx context.Context, reader client.Reader) ([]*clusterv1.Machine, error) {
	return leftMachines(ctx, reader, leftBySkip)
}

func leftMachines(ctx context.Context, reader client.Reader, why string) ([]*clusterv1.Machine, error) {
	all, err := uncopied.List[*clusterv1.Machine](ctx, reader, &clusterv1.MachineList{}, "", leftAlone, why)
	if err != nil {
		return nil, fmt.Errorf("listing machines that are left alone: %w", err)
	}
	return all, nil
}
