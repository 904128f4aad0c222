package history

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

// addLeftOver writes to the first machine what the previous version left there, with its field owners.
func (w *World) addLeftOver() {
	if w.Spec.LeftOver == worlds.LeftNothing {
		return
	}
	ctx, m := context.Background(), Latest[*clusterv1.Machine](w, kinds.Machine, "m1").DeepCopy()
	stamp := w.clock.now.UTC().Format(time.RFC3339)
	switch w.Spec.LeftOver {
	case worlds.LeftNothing:
	case worlds.LeftMark:
		u := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"conditions": []any{map[string]any{
			"type": clusterv1.MachineOwnerRemediatedCondition, "status": "False", "reason": clusterv1.MachineOwnerRemediatedWaitingForRemediationReason,
			"message": "Waiting for remediation", "lastTransitionTime": stamp,
		}}}}}
		u.SetGroupVersionKind(kinds.Machine)
		u.SetNamespace(kinds.Namespace)
		u.SetName(m.Name)
		w.must(w.admin.Status().Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(ownwrites.OwnerRemediatedFieldOwner), client.ForceOwnership))
	case worlds.LeftReboot:
		patch := `{"metadata":{"annotations":{"` + rebootannotation.Request + `":"` + stamp + `","` + rebootannotation.RequestedAt + `":"` + stamp + `"}}}`
		w.must(w.admin.Patch(ctx, m, client.RawPatch(types.MergePatchType, []byte(patch)), client.FieldOwner("sickbay-reboot-request")))
	case worlds.LeftRequest:
		u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{}}}
		u.SetGroupVersionKind(kinds.Request)
		u.SetNamespace(kinds.Namespace)
		u.SetName(m.Name)
		u.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: clusterv1.GroupVersion.String(), Kind: "Machine", Name: m.Name, UID: m.UID}})
		w.must(w.admin.Create(ctx, u))
	}
}
