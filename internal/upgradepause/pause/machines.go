package pause

import (
	"github.com/blang/semver/v4"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// controlPlaneMachines is the name under which the machines of a control plane are counted. No MachineDeployment has it.
const controlPlaneMachines = ""

// inService is which versions the machines of each MachineDeployment, and of the control plane, are to have. That is what
// their own spec says: the kubelet of an image may be older than the version which the image was chosen for.
type inService map[string]*fleetState

// fleetState is about the machines that one rollout concerns, those that are being deleted included.
type fleetState struct {
	// versions are those of their specs, and of the kubelets of those that are being updated in place, each with how many have it.
	versions map[string]int
}

// count adds a machine.
func (s inService) count(machine *clusterv1.Machine) {
	rollout, ok := rolloutOf(machine)
	if !ok {
		return
	}
	state := s[rollout]
	if state == nil {
		state = &fleetState{versions: map[string]int{}}
		s[rollout] = state
	}
	if machine.Spec.Version != "" {
		state.versions[machine.Spec.Version]++
	}
	if leaves := versionLeft(machine); leaves != "" {
		state.versions[leaves]++
	}
}

// versionLeft returns the version from which a machine is being updated in place; empty if it is not, or has the same one before and
// after. Cluster API writes the new version to its spec at once, so only the kubelet says which one it had.
func versionLeft(machine *clusterv1.Machine) string {
	info := machine.Status.NodeInfo
	if _, updating := machine.Annotations[clusterv1.UpdateInProgressAnnotation]; !updating || info == nil {
		return ""
	}
	has, err := semver.ParseTolerant(info.KubeletVersion)
	if err != nil {
		return ""
	}
	wants, err := semver.ParseTolerant(machine.Spec.Version)
	if err != nil || (!older(has, wants) && !older(wants, has)) {
		return ""
	}
	return info.KubeletVersion
}

// of returns what is known of a rollout; it is never nil.
func (s inService) of(rollout string) *fleetState {
	if state := s[rollout]; state != nil {
		return state
	}
	return &fleetState{}
}

// rolloutOf returns who replaces a machine by another one when the version changes.
func rolloutOf(machine *clusterv1.Machine) (string, bool) {
	if _, ok := machine.Labels[clusterv1.MachineControlPlaneLabel]; ok {
		return controlPlaneMachines, true
	}
	deployment := machine.Labels[clusterv1.MachineDeploymentNameLabel]
	return deployment, deployment != ""
}
