package pause

import (
	"github.com/blang/semver/v4"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// controlPlaneMachines is the key for the machines of a control plane. No MachineDeployment has this name.
const controlPlaneMachines = ""

// inService counts the versions that the machines of each MachineDeployment, and of the control plane, should have. It takes them
// from the spec: the kubelet of an image may be older than the version that the image was chosen for.
type inService map[string]*fleetState

// fleetState describes the machines of one rollout, including those that are being deleted.
type fleetState struct {
	// versions counts the machines by the version in their spec, and by the version of their kubelet if they are being updated in
	// place.
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

// versionLeft returns the old version of a machine that is being updated in place; empty if it is not, or if the version stays the
// same. Cluster API writes the new version to the spec at once, so only the kubelet shows the old one.
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

// of returns the state of a rollout; it is never nil.
func (s inService) of(rollout string) *fleetState {
	if state := s[rollout]; state != nil {
		return state
	}
	return &fleetState{}
}

// rolloutOf returns which rollout replaces a machine when the version changes.
func rolloutOf(machine *clusterv1.Machine) (string, bool) {
	if _, ok := machine.Labels[clusterv1.MachineControlPlaneLabel]; ok {
		return controlPlaneMachines, true
	}
	deployment := machine.Labels[clusterv1.MachineDeploymentNameLabel]
	return deployment, deployment != ""
}
