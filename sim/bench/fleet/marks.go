package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
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
