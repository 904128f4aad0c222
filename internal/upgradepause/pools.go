package upgradepause

import (
	"context"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// machineConfigPools is the signal of OpenShift's machine config operator. Its workers go on rebooting after ClusterVersion reports
// the end of an upgrade, and also reboot for a mere setting. It concerns every MachineHealthCheck of OpenShift.
type machineConfigPools struct {
	sources
	installed *Installed
}

// Read implements Signal.
func (s machineConfigPools) Read(ctx context.Context, _ *metav1.PartialObjectMetadata) []pause.Reading {
	if !s.installed.get() {
		return nil
	}
	var pools mcfgv1.MachineConfigPoolList
	if err := s.list(ctx, &mcfgv1.MachineConfigPool{}, &pools); err != nil {
		// No pool is known, but every OpenShift cluster has the workers' pool.
		return []pause.Reading{{IDs: pause.PoolIDs, Subject: poolReference(pause.WorkerPool), Err: err}}
	}
	var readings []pause.Reading
	for i := range pools.Items {
		pool := &pools.Items[i]
		readings = append(readings, pause.Reading{IDs: pause.PoolIDs, Subject: poolReference(pool.Name), Upgrades: pause.OfPool(pool)})
	}
	return readings
}

func poolReference(name string) *corev1.ObjectReference {
	return &corev1.ObjectReference{APIVersion: mcfgv1.GroupVersion.String(), Kind: "MachineConfigPool", Name: name}
}
