package explore

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/managed"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/status"
)

// leaveOver leaves on the first machine what the version before has left there, by its field owners.
func (w *world) leaveOver() {
	if w.spec.LeftOver == LeftNothing {
		return
	}
	ctx, m := context.Background(), latest[*clusterv1.Machine](w, machineKind, "m1").DeepCopy()
	stamp := w.clock.now.UTC().Format(time.RFC3339)
	switch w.spec.LeftOver {
	case LeftNothing:
	case LeftMark:
		u := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"conditions": []any{map[string]any{
			"type": clusterv1.MachineOwnerRemediatedCondition, "status": "False", "reason": clusterv1.MachineOwnerRemediatedWaitingForRemediationReason,
			"message": "Waiting for remediation", "lastTransitionTime": stamp,
		}}}}}
		u.SetGroupVersionKind(machineKind)
		u.SetNamespace(namespace)
		u.SetName(m.Name)
		w.must(w.admin.Status().Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(status.OwnerRemediatedFieldOwner), client.ForceOwnership))
	case LeftReboot:
		patch := `{"metadata":{"annotations":{"` + remedy.RebootAnnotation + `":"` + stamp + `","` + remedy.RebootRequestedAtAnnotation + `":"` + stamp + `"}}}`
		w.must(w.admin.Patch(ctx, m, client.RawPatch(types.MergePatchType, []byte(patch)), client.FieldOwner("sickbay-reboot-request")))
	case LeftRequest:
		u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{}}}
		u.SetGroupVersionKind(requestKind)
		u.SetNamespace(namespace)
		u.SetName(m.Name)
		u.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: clusterv1.GroupVersion.String(), Kind: "Machine", Name: m.Name, UID: m.UID}})
		w.must(w.admin.Create(ctx, u))
	}
}

// tookOver holds that nothing is done to a machine as long as what the version before has left there stands.
func (m *monitor) tookOver(machine *clusterv1.Machine, what string) {
	stands := false
	switch m.w.spec.LeftOver {
	case LeftNothing:
	case LeftMark:
		stands = markStands(machine) && managed.Wrote(machine, clusterv1.MachineOwnerRemediatedCondition, status.OwnerRemediatedFieldOwner)
	case LeftReboot:
		stands = machine.Name == "m1" && machine.Annotations[remedy.RebootAnnotation] == start.UTC().Format(time.RFC3339)
	case LeftRequest:
		request := as[*unstructured.Unstructured](m.w.server.Latest(requestKind, inNamespace(machine.Name)))
		stands = request != nil && request.GetAnnotations()[v1alpha1.OperationAnnotation] == ""
	}
	if stands {
		m.w.fail(ruleTakeOver, "%s, and what the version before has left there stands", what)
	}
}
