package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
)

// Say writes a mark to a Machine as fast as the API server takes it: in the way that Sickbay writes verdicts, but without
// looking at anything first.
func (f *Fleet) Say(ctx context.Context, m Machine, mark Mark) error {
	return f.apply(ctx, m, mark, "Said", "says-"+mark.Type)
}

// judge writes Sickbay's verdict on a healthy Machine.
func (f *Fleet) judge(ctx context.Context, m Machine) error {
	return f.apply(ctx, m, Healthy, verdict.ReasonSucceeded, machinehealth.FieldOwner)
}

func (f *Fleet) apply(ctx context.Context, m Machine, mark Mark, reason, owner string) error {
	u := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"conditions": []any{map[string]any{
		"type": mark.Type, "status": string(mark.Status), "reason": reason, "message": "", "lastTransitionTime": f.World.Now().UTC().Format(time.RFC3339),
		"observedGeneration": int64(1), // nobody changes the spec of these machines
	}}}}}
	u.SetGroupVersionKind(clusterv1.GroupVersion.WithKind("Machine"))
	u.SetNamespace(m.Namespace)
	u.SetName(m.Name)
	err := f.World.Client().Status().Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(owner), client.ForceOwnership)
	if err != nil {
		return fmt.Errorf("writing %s of machine %s: %w", mark.Type, m, err)
	}
	return nil
}

// Forget removes everything from a Machine that a health check ever wrote to it. Nobody may write to it meanwhile.
func (f *Fleet) Forget(ctx context.Context, m Machine) error {
	made := machine(m, f.ownerIn(m.Cluster))
	patch, err := json.Marshal([]map[string]any{{"op": "replace", "path": "/status/conditions", "value": made.Status.Conditions}})
	if err != nil {
		return fmt.Errorf("describing the conditions of machine %s: %w", m, err)
	}
	if err := f.World.Client().Status().Patch(ctx, made, client.RawPatch(types.JSONPatchType, patch)); err != nil {
		return fmt.Errorf("removing conditions of machine %s: %w", m, err)
	}
	return nil
}

// Mark marks a Machine for its owner, as Sickbay does.
func (f *Fleet) Mark(ctx context.Context, m Machine) error {
	patch, err := json.Marshal([]map[string]any{{"op": "add", "path": "/status/conditions/-", "value": metav1.Condition{
		Type: Owned.Type, Status: Owned.Status, LastTransitionTime: f.World.Now(),
		Reason: clusterv1.MachineOwnerRemediatedWaitingForRemediationReason, Message: "Waiting for remediation",
	}}})
	if err != nil {
		return fmt.Errorf("describing the mark of machine %s: %w", m, err)
	}
	machine := &clusterv1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: m.Namespace, Name: m.Name}}
	if err := f.World.Client().Status().Patch(ctx, machine, client.RawPatch(types.JSONPatchType, patch)); err != nil {
		return fmt.Errorf("marking machine %s: %w", m, err)
	}
	return nil
}

// Unmark removes the mark for the owner from a Machine, as if the Machine were new.
func (f *Fleet) Unmark(ctx context.Context, m Machine) error {
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		machine := &clusterv1.Machine{}
		if err := f.World.Client().Get(ctx, m.ObjectKey, machine); err != nil {
			return err
		}
		if !meta.RemoveStatusCondition(&machine.Status.Conditions, Owned.Type) {
			return nil
		}
		return f.World.Client().Status().Update(ctx, machine)
	})
	if err != nil {
		return fmt.Errorf("removing the mark of machine %s: %w", m, err)
	}
	return nil
}

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
		Steps: admission.BuiltInPlan(mhc, mhcspec.Config{}, v1alpha1.RebootSettings{}),
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
