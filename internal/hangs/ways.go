package hangs

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// Ways says what a person can do about a deletion that hangs, with the command where there is one.
func (d Deletion) Ways() []string {
	switch d.Stage {
	case Draining:
		return append(d.pods(), d.skip("Skip the drain; its Pods then end with the machine, whatever their budgets say", clusterv1.ExcludeNodeDrainingAnnotation)...)
	case Detaching:
		return append([]string{InWorkload(d.machine, "See what is attached", "kubectl get volumeattachments")},
			d.skip("Do not wait for volumes; what is not written to them yet may be lost", clusterv1.ExcludeWaitForNodeVolumeDetachAnnotation)...)
	case PreDrainHook, PreTerminateHook:
		return d.unhook()
	case Infrastructure:
		ref := d.machine.Spec.InfrastructureRef
		return []string{fmt.Sprintf("See its conditions, and whose finalizers it has: kubectl get %s.%s %s -n %s -o yaml", strings.ToLower(ref.Kind), ref.APIGroup, ref.Name, d.machine.Namespace)}
	case Bootstrap:
		return []string{"See whose finalizers its bootstrap config has. " + d.get("This names it", "jsonpath={.spec.bootstrap.configRef}")}
	case DeletingNode:
		return []string{InWorkload(d.machine, "See whether the workload cluster answers, and who keeps the Node", "kubectl get node "+d.machine.Status.NodeRef.Name+" -o yaml")}
	case Finalizing:
		if slices.Contains(d.Finalizers, metav1.FinalizerDeleteDependents) {
			return []string{"See what it owns, which Kubernetes deletes first. " + d.get("This is the UID that their ownerReferences have", "jsonpath={.metadata.uid}")}
		}
		return []string{"Ask the owner of " + several("finalizer", d.Finalizers) + ", who removes it after cleaning up. " + d.get("This shows who set it", "yaml --show-managed-fields")}
	case Paused:
		return []string{d.resume()}
	default:
		return []string{"Read Cluster API's log (where it is installed as usual): kubectl logs -n capi-system deployment/capi-controller-manager | grep " + d.machine.Name}
	}
}

// budget finds a Pod that may not be evicted, and its budget, in what a drain says.
var budget = regexp.MustCompile(`Pods? ([^\s/,]+)/\S+?[^;]*? disruption budget\. The disruption budget (\S+) needs`)

// stuckPod finds a Pod that does not end.
var stuckPod = regexp.MustCompile(`Pods? ([^\s/,]+)/([^\s,:]+)[^;]*: deletionTimestamp set`)

// pods says what a person can do about the Pods that keep a Node from being drained.
func (d Deletion) pods() []string {
	says := d.Says.Text
	var all []string
	if strings.Contains(says, "disruption budget") {
		line := "kubectl get pdb -A"
		if found := budget.FindStringSubmatch(says); found != nil {
			line = "kubectl get pdb " + found[2] + " -n " + found[1]
		}
		all = append(all, InWorkload(d.machine, "See what the budget waits for, and give it another healthy Pod", line))
	}
	if found := stuckPod.FindStringSubmatch(says); found != nil {
		all = append(all, InWorkload(d.machine, "See why the Pod does not end (a kubelet that does not answer, a finalizer, its grace period)",
			"kubectl get pod "+found[2]+" -n "+found[1]+" -o yaml"))
	}
	if strings.Contains(says, "complet") && strings.Contains(says, "waiting for") {
		all = append(all, "Let the Pods complete, as a MachineDrainRule asks: kubectl get machinedrainrules -n "+d.machine.Namespace)
	}
	return all
}

// unhook says who lets go of a hook.
func (d Deletion) unhook() []string {
	var all []string
	for _, hook := range d.Hooks {
		owner := hook.Owner
		if owner == "" {
			owner = "the person or program that set it"
		}
		if strings.HasSuffix(hook.Key, kcpHook) {
			all = append(all, "The KubeadmControlPlane removes the hook "+hook.Key+" once its etcd member is gone; see its conditions: kubectl get kubeadmcontrolplane -n "+d.machine.Namespace)
			continue
		}
		all = append(all, fmt.Sprintf("Ask %s why the hook %s is not done; if nobody needs it, remove it: kubectl annotate machine.cluster.x-k8s.io %s -n %s %s-", owner, hook.Key, d.machine.Name, d.machine.Namespace, hook.Key))
	}
	return all
}

// kcpHook is the hook of a KubeadmControlPlane. Without it, an etcd member would stay behind.
const kcpHook = "/kcp-cleanup"

// skip returns the annotation that has Cluster API skip a stage, unless the Machine has it.
func (d Deletion) skip(what, annotation string) []string {
	if _, has := d.machine.Annotations[annotation]; has {
		return nil
	}
	return []string{fmt.Sprintf("%s: kubectl annotate machine.cluster.x-k8s.io %s -n %s %s=", what, d.machine.Name, d.machine.Namespace, annotation)}
}

func (d Deletion) resume() string {
	if _, paused := d.machine.Annotations[clusterv1.PausedAnnotation]; paused {
		return fmt.Sprintf("End the pause, if nobody needs it: kubectl annotate machine.cluster.x-k8s.io %s -n %s %s-", d.machine.Name, d.machine.Namespace, clusterv1.PausedAnnotation)
	}
	return fmt.Sprintf(`End the pause, if nobody needs it: kubectl patch cluster.cluster.x-k8s.io %s -n %s --type=merge -p '{"spec":{"paused":false}}'`, d.machine.Spec.ClusterName, d.machine.Namespace)
}

// get returns a command that shows a part of the Machine.
func (d Deletion) get(what, output string) string {
	return fmt.Sprintf("%s: kubectl get machine.cluster.x-k8s.io %s -n %s -o %s", what, d.machine.Name, d.machine.Namespace, output)
}

// InWorkload says that something is to be done in the workload cluster of a machine. The command comes last, so that it can be pasted.
func InWorkload(machine *clusterv1.Machine, what, line string) string {
	return what + ". In cluster " + machine.Spec.ClusterName + ": " + line
}
