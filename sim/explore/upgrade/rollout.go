package upgrade

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
)

// Workers is the name of the MachineDeployment of the machines.
const Workers = "md"

const firstVersion = "v1.30.0"

func deployment() *clusterv1.MachineDeployment {
	md := &clusterv1.MachineDeployment{ObjectMeta: objectMeta(kinds.Deployment, Workers)}
	md.Labels = map[string]string{clusterv1.ClusterNameLabel: kinds.ClusterName}
	md.Spec.ClusterName, md.Spec.Template.Spec.Version = kinds.ClusterName, firstVersion
	return md
}

// controlPlane has no Machines, like those of cloud providers.
func controlPlane() client.Object {
	u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"version": firstVersion}, "status": map[string]any{"version": firstVersion}}}
	u.SetGroupVersionKind(kinds.ControlPlane)
	u.SetNamespace(kinds.Namespace)
	u.SetName(kinds.ClusterName)
	u.SetLabels(map[string]string{clusterv1.ClusterNameLabel: kinds.ClusterName})
	return u
}

// Join makes a new machine one of the MachineDeployment.
func (s Scene) Join(machine *clusterv1.Machine) {
	machine.Labels[clusterv1.MachineDeploymentNameLabel] = Workers
	machine.Spec.Version = s.workers().Spec.Template.Spec.Version
}

func (s Scene) workers() *clusterv1.MachineDeployment {
	return s.Find(kinds.Deployment, Workers).(*clusterv1.MachineDeployment)
}

// Rollout returns what can happen to the versions of a Cluster, and to its wish to be paused.
func (s Scene) Rollout() []Act {
	md, plane := s.workers(), s.Find(kinds.ControlPlane, kinds.ClusterName).(*unstructured.Unstructured)
	target, version := md.Spec.Template.Spec.Version, VersionOf(plane, "spec")
	held := md.Spec.Paused != nil && *md.Spec.Paused
	acts := []Act{
		{"the MachineDeployment gets another version", func() { s.roll(after(target)) }},
		{"the control plane gets another version", func() { s.setPlane(false, after(version)) }},
		{fmt.Sprintf("a person sets paused of the MachineDeployment to %t", !held), func() { s.holdUp(!held) }},
	}
	if VersionOf(plane, "status") != version {
		acts = append(acts, Act{"the control plane has its version", func() { s.setPlane(true, version) }})
	}
	for _, obj := range s.Every(kinds.Machine) {
		m := obj.(*clusterv1.Machine)
		if m.Spec.Version == target || !m.DeletionTimestamp.IsZero() || held {
			continue
		}
		acts = append(acts,
			Act{"the rollout replaces " + m.Name, func() { s.Remove(m) }},
			Act{"the rollout updates " + m.Name + " in place", func() { s.updateInPlace(m.Name, target) }})
	}
	return append(append(acts, s.topology()...), s.wishes()...)
}

// after returns the next minor version.
func after(version string) string {
	minor, err := strconv.Atoi(strings.Split(version, ".")[1])
	if err != nil {
		panic(err) // all versions are made here
	}
	return fmt.Sprintf("v1.%d.0", minor+1)
}

func (s Scene) roll(to string) {
	spec(s, kinds.Deployment, Workers, func(md *clusterv1.MachineDeployment) { md.Spec.Template.Spec.Version = to })
}

func (s Scene) holdUp(yes bool) {
	spec(s, kinds.Deployment, Workers, func(md *clusterv1.MachineDeployment) { md.Spec.Paused = new(yes) })
}

func (s Scene) updateInPlace(machine, to string) {
	spec(s, kinds.Machine, machine, func(m *clusterv1.Machine) { m.Spec.Version = to })
}

// VersionOf returns the version in the spec or the status of a control plane.
func VersionOf(plane *unstructured.Unstructured, section string) string {
	version, _, _ := unstructured.NestedString(plane.Object, section, "version")
	return version
}

func (s Scene) setPlane(isStatus bool, version string) {
	section := "spec"
	if isStatus {
		section = "status"
	}
	s.Change(kinds.ControlPlane, kinds.ClusterName, isStatus, func(obj client.Object) {
		_ = unstructured.SetNestedField(obj.(*unstructured.Unstructured).Object, version, section, "version")
	})
}

// finishRollout gives all parts of the Cluster the versions that they should have.
func (s Scene) finishRollout() {
	s.holdUp(false)
	s.wish("true")
	s.topologyDone()
	s.setPlane(true, VersionOf(s.Find(kinds.ControlPlane, kinds.ClusterName).(*unstructured.Unstructured), "spec"))
	for _, m := range s.Every(kinds.Machine) {
		s.updateInPlace(m.GetName(), s.workers().Spec.Template.Spec.Version)
	}
}
