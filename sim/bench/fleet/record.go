package fleet

import (
	"context"
	"fmt"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
)

// ordinal is the ordinal of records that are not Sickbay's. Sickbay never reaches it for one machine.
const ordinal = 1_000_000

// Records returns the records that Sickbay would create before it repairs machines, each ready to be created.
func (f *Fleet) Records(ctx context.Context, machines []Machine) (map[Machine]*v1alpha1.MachineRemediation, error) {
	records, mutex := map[Machine]*v1alpha1.MachineRemediation{}, sync.Mutex{}
	err := Each(ctx, machines, func(ctx context.Context, m Machine) error {
		made, err := f.record(ctx, m)
		mutex.Lock()
		defer mutex.Unlock()
		records[m] = made
		return err
	})
	return records, err
}

func (f *Fleet) record(ctx context.Context, m Machine) (*v1alpha1.MachineRemediation, error) {
	cluster, mhc, machine := &clusterv1.Cluster{}, &clusterv1.MachineHealthCheck{}, &clusterv1.Machine{}
	for object, key := range map[client.Object]client.ObjectKey{cluster: m.Cluster, mhc: m.Cluster, machine: m.ObjectKey} {
		if err := f.World.Client().Get(ctx, key, object); err != nil {
			return nil, fmt.Errorf("reading what the record of machine %s rests on: %w", m, err)
		}
	}
	return recordstore.New(cluster, ordinal, v1alpha1.MachineRemediationSpec{
		ClusterName:    m.Cluster.Name,
		MachineRef:     v1alpha1.RemediatedMachineReference{APIGroup: clusterv1.GroupVersion.Group, Name: m.Name, UID: machine.UID},
		NodeRef:        &v1alpha1.RemediationReference{Name: m.Name},
		HealthCheckRef: v1alpha1.RemediationReference{Name: mhc.Name, UID: mhc.UID},
		Finding: v1alpha1.RemediationFinding{
			Reason: "ReadyUnhealthy", Message: "Node condition Ready is False", Since: metav1.Now(),
		},
		Steps: admission.BuiltInPlan(mhc, mhcspec.Config{}),
	}), nil
}

// DeleteRecord deletes a record made by Records, which no controller handles.
func (f *Fleet) DeleteRecord(ctx context.Context, r *v1alpha1.MachineRemediation) error {
	free := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
	if err := f.World.Client().Patch(ctx, r, free); err != nil {
		return fmt.Errorf("freeing record %s: %w", r.Name, err)
	}
	if err := f.World.Client().Delete(ctx, r); err != nil {
		return fmt.Errorf("deleting record %s: %w", r.Name, err)
	}
	return nil
}
