package remediation

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
)

// Marks that other systems leave on a Node while they work on it.
const (
	// releaseTaint is the taint with which NVSentinel hands a Node to exactly one other system.
	releaseTaint = "nvsentinel.dgxc.nvidia.com/external-remediation"
	// nvsentinelState is the label with NVSentinel's progress on a Node.
	nvsentinelState = "dgxc.nvidia.com/nvsentinel-state"
)

// workOfOthers names the other system that works on a Node; empty if none does.
func workOfOthers(node *corev1.Node) string {
	if node == nil {
		return ""
	}
	for _, taint := range node.Spec.Taints {
		if taint.Key == releaseTaint {
			return "NVSentinel has given the Node to " + taint.Value
		}
	}
	switch state := node.Labels[nvsentinelState]; state {
	case "draining", "drain-succeeded", "remediating":
		return "NVSentinel works on the Node: " + state
	}
	for _, c := range node.Status.Conditions {
		if c.Status == corev1.ConditionTrue && (c.Type == "MaintenanceInProgress" || c.Type == "DrainInProgress") {
			return ownwrites.Note("The Node has the condition " + string(c.Type) + ": " + c.Message)
		}
	}
	return ""
}

// cycleOfOthers says that a person's power cycle of the machine's host is under way; empty if there is none.
func (r *Reconciler) cycleOfOthers(ctx context.Context, machine *clusterv1.Machine) (string, error) {
	var cycles v1alpha1.RebootRemediationList
	err := r.Client.List(ctx, &cycles, client.InNamespace(machine.Namespace), client.UnsafeDisableDeepCopy)
	if meta.IsNoMatchError(err) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("listing RebootRemediations in %s: %w", machine.Namespace, err)
	}
	for i := range cycles.Items {
		cycle := &cycles.Items[i]
		by := cycle.Spec.RequestedBy
		if cycle.Status.Phase.Ended() || !isFor(cycle, machine) || ofHealthCheck(cycle, by, machine) {
			continue
		}
		who := "Somebody"
		if by != nil && by.Name != "" {
			who = by.Name
		}
		return who + " has its host cycled by RebootRemediation " + cycle.Name, nil
	}
	return "", nil
}

// ofHealthCheck reports whether a health check or a record asked for a RebootRemediation. If it does not say so but the Machine
// owns it, Cluster API's own controller made it. One that a person makes by hand has no owner.
func ofHealthCheck(cycle *v1alpha1.RebootRemediation, by *v1alpha1.RebootRequester, machine *clusterv1.Machine) bool {
	if by != nil {
		return by.ForRecord() || by.Kind == v1alpha1.RequestedByHealthCheck
	}
	return slices.ContainsFunc(cycle.OwnerReferences, func(ref metav1.OwnerReference) bool { return ref.UID == machine.UID })
}

// isFor reports whether a RebootRemediation is about a Machine.
func isFor(cycle *v1alpha1.RebootRemediation, machine *clusterv1.Machine) bool {
	if ref := cycle.Spec.Machine; ref != nil {
		return ref.APIGroup == clusterv1.GroupVersion.Group && ref.Name == machine.Name
	}
	return cycle.Name == machine.Name
}
