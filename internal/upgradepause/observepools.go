package upgradepause

import (
	"context"
	"errors"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// machineConfigPools is the signal of OpenShift's machine config operator. Its workers go on rebooting after ClusterVersion reports
// the end of an upgrade, and also reboot for a mere setting. A pool concerns the OpenShift MachineHealthChecks that have a machine
// whose Node is in it.
type machineConfigPools struct {
	reader    client.Reader
	tracker   *tracker
	installed *Installed
	nodes     interface {
		Nodes(ctx context.Context, check *metav1.PartialObjectMetadata) ([]*corev1.Node, error)
	}
}

// Read implements Signal.
func (s machineConfigPools) Read(ctx context.Context, check *metav1.PartialObjectMetadata) []pause.Reading {
	if !s.installed.get() {
		return nil
	}
	var pools mcfgv1.MachineConfigPoolList
	err := s.tracker.ready(ctx, &mcfgv1.MachineConfigPool{})
	if err == nil {
		err = s.reader.List(ctx, &pools, client.UnsafeDisableDeepCopy)
	}
	if err != nil {
		// No pool is known, but every OpenShift cluster has the workers' pool.
		return []pause.Reading{{IDs: pause.PoolIDs, Subject: poolReference(pause.WorkerPool), Err: err}}
	}
	var readings []pause.Reading
	for i := range pools.Items {
		readings = append(readings, s.read(ctx, check, &pools.Items[i], pools.Items))
	}
	return readings
}

func (s machineConfigPools) read(
	ctx context.Context, check *metav1.PartialObjectMetadata, pool *mcfgv1.MachineConfigPool, all []mcfgv1.MachineConfigPool,
) pause.Reading {
	reading := pause.Reading{IDs: pause.IDsOfPool(pool.Name), Subject: poolReference(pool.Name)}
	reading.Upgrades, reading.Err = pause.OfPool(pool, check.Annotations)
	if len(reading.Upgrades) == 0 {
		return reading
	}
	nodes, err := s.nodes.Nodes(ctx, check)
	switch {
	case errors.Is(err, pause.ErrStarting):
		reading.Upgrades, reading.Err = nil, err
	case err == nil:
		reading.Elsewhere = !pause.InPool(nodes, pool, all)
	default:
		// Nobody knows which pool the Nodes are in, so the update concerns all.
	}
	return reading
}

func poolReference(name string) *corev1.ObjectReference {
	return &corev1.ObjectReference{APIVersion: mcfgv1.GroupVersion.String(), Kind: "MachineConfigPool", Name: name}
}
