package pause

import (
	"slices"

	"github.com/blang/semver/v4"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/sets"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// MachineOfNode is the annotation in which OpenShift stores the Machine of a Node: namespace/name.
const MachineOfNode = "machine.openshift.io/machine"

// NotReady returns the names of the selected Machines that may be remediated and have no Ready Node, sorted.
func NotReady(machines []clusterv1.Machine, selector labels.Selector) []string {
	var names []string
	for i := range machines {
		machine := &machines[i]
		if machine.DeletionTimestamp.IsZero() && mhcspec.IsTarget(machine) && selector.Matches(labels.Set(machine.Labels)) &&
			!meta.IsStatusConditionTrue(machine.Status.Conditions, clusterv1.MachineNodeReadyCondition) {
			names = append(names, machine.Name)
		}
	}
	slices.Sort(names)
	return names
}

// controlPlaneMachines is the key for the machines of a control plane. No MachineDeployment has this name.
const controlPlaneMachines = ""

// InService has the versions that the machines of each MachineDeployment, and of the control plane, should have, including those that are
// being deleted. It takes them from the spec: the kubelet of an image may be older than the version that the image was chosen for.
type InService map[string]sets.Set[string]

// InServiceOf returns the versions of some machines.
func InServiceOf(machines []clusterv1.Machine) InService {
	all := InService{}
	for i := range machines {
		rollout, ok := rolloutOf(&machines[i])
		if !ok {
			continue
		}
		if all[rollout] == nil {
			all[rollout] = sets.New[string]()
		}
		all[rollout].Insert(machines[i].Spec.Version)
		if left := NodeInfo(&machines[i]); left != nil {
			all[rollout].Insert(left.KubeletVersion)
		}
		all[rollout].Delete("")
	}
	return all
}

// NodeInfo returns the old version of a machine that is being updated in place; nil if it is not, or if the version stays the same. Cluster API
// writes the new version to the spec at once, so only the kubelet shows the old one.
func NodeInfo(machine *clusterv1.Machine) *corev1.NodeSystemInfo {
	info := machine.Status.NodeInfo
	if _, updating := machine.Annotations[clusterv1.UpdateInProgressAnnotation]; !updating || info == nil {
		return nil
	}
	has, err := semver.ParseTolerant(info.KubeletVersion)
	if err != nil {
		return nil
	}
	wants, err := semver.ParseTolerant(machine.Spec.Version)
	if err != nil || (!older(has, wants) && !older(wants, has)) {
		return nil
	}
	return &corev1.NodeSystemInfo{KubeletVersion: info.KubeletVersion}
}

// rolloutOf returns which rollout replaces a machine when the version changes.
func rolloutOf(machine *clusterv1.Machine) (string, bool) {
	if _, ok := machine.Labels[clusterv1.MachineControlPlaneLabel]; ok {
		return controlPlaneMachines, true
	}
	deployment := machine.Labels[clusterv1.MachineDeploymentNameLabel]
	return deployment, deployment != ""
}
