package convert

import (
	"fmt"
	"strings"
	"testing"
)

// TestClusterKeepsItsReferences: what converts the health checks of a Cluster loses nothing else of it silently.
func TestClusterKeepsItsReferences(t *testing.T) {
	const text = `apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {name: c, namespace: a}
spec:
  infrastructureRef: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: DockerCluster, name: infra-ref}
  controlPlaneRef: {apiVersion: controlplane.cluster.x-k8s.io/v1beta1, kind: KubeadmControlPlane, name: plane-ref}
  topology:
    class: quick
    version: v1.30.0
    rolloutAfter: "2026-12-01T00:00:00Z"
    controlPlane:
      replicas: 3
      nodeDrainTimeout: 500ms
      machineHealthCheck: {enable: true}
    variables: [{name: v, value: 2, definitionFrom: patch-b}]
`
	converted, notes := stream(t, "a.yaml", []byte(text), options)
	for _, lost := range []string{"infra-ref", "plane-ref", "2026-12-01", "patch-b"} {
		if !strings.Contains(converted, lost) {
			t.Errorf("%s is lost, with the notes %v", lost, notes)
		}
	}
	if strings.Contains(converted, "nodeDrainTimeoutSeconds: 0") {
		t.Errorf("a drain that was given up after half a second waits for ever, with the notes %v", notes)
	}
}

// TestWholeConversionIsCompared: what Cluster API's conversion drops is told and kept as a comment. If it would change a value, the object stays.
func TestWholeConversionIsCompared(t *testing.T) {
	const (
		cluster = "apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {name: c, namespace: a}\nspec:\n"
		class   = "apiVersion: cluster.x-k8s.io/v1beta1\nkind: ClusterClass\nmetadata: {name: c, namespace: a}\nspec:\n"
		checked = "  topology: {class: quick, version: v1.30.0, controlPlane: {machineHealthCheck: {enable: true}}%s}\n"
		ref     = "apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: DockerCluster, name: infra"
		stays   = "it stays as it is: "
	)
	for name, test := range map[string]struct {
		text, field, note string
		has               []string
	}{
		"a reference": {text: cluster + "  infrastructureRef: {" + ref + ", namespace: a}\n" + fmt.Sprintf(checked, ""),
			has: []string{"infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: DockerCluster, name: infra}"}},
		"a part of a reference": {text: cluster + "  infrastructureRef: {" + ref + ", fieldPath: here}\n" + fmt.Sprintf(checked, ""),
			field: "spec.infrastructureRef.fieldPath", note: "v1beta2 of Cluster API does not have it", has: []string{"apiGroup: ", "#   fieldPath: here"}},
		"a reference without a group": {text: cluster + "  controlPlaneRef: {apiVersion: v1, kind: A, name: a}\n" + fmt.Sprintf(checked, ""),
			note: stays + "spec.controlPlaneRef needs an apiVersion with a group, a kind and a name"},
		"a rollout": {text: cluster + fmt.Sprintf(checked, `, rolloutAfter: "2026-12-01T00:00:00Z"`),
			field: "spec.topology.rolloutAfter", note: "v1beta2 of Cluster API does not have it", has: []string{"v1beta2\n", `#   rolloutAfter: "2026-12-01T00:00:00Z"`}},
		"the source of an override": {
			text:  cluster + fmt.Sprintf(checked, ", workers: {machineDeployments: [{class: a, name: a, variables: {overrides: [{name: v, value: 1, definitionFrom: p}]}}]}"),
			field: "spec.topology.workers.machineDeployments[0].variables.overrides[0].definitionFrom", note: "v1beta2 of Cluster API does not have it", has: []string{"#   definitionFrom: p"}},
		"a part of a second": {text: cluster + fmt.Sprintf(checked, ", workers: {machinePools: [{class: a, name: a, nodeDrainTimeout: 1500ms}]}"),
			field: "spec.topology.workers.machinePools[0].nodeDrainTimeout", note: stays + "v1beta2 of Cluster API cannot express 1500ms, which would become 1s"},
		"a part of a second in a class": {text: class + "  controlPlane: {nodeDeletionTimeout: 500ms, machineHealthCheck: {maxUnhealthy: 1}}\n",
			field: "spec.controlPlane.nodeDeletionTimeout", note: stays + "v1beta2 of Cluster API cannot express 500ms, which would become 0s"},
		"whole seconds": {text: class + "  controlPlane: {nodeDeletionTimeout: 300s, machineHealthCheck: {maxUnhealthy: 1}}\n", has: []string{"nodeDeletionTimeoutSeconds: 300"}},
	} {
		t.Run(name, func(t *testing.T) {
			converted, notes := stream(t, "a.yaml", []byte(test.text), options)
			switch {
			case test.note == "" && len(notes) > 0, test.note != "" && (len(notes) != 1 || notes[0].Field != test.field || notes[0].Message != test.note || !notes[0].Lost):
				t.Errorf("said %+v, want %q of %q", notes, test.note, test.field)
			case strings.HasPrefix(test.note, stays) && converted != test.text:
				t.Errorf("it does not stay:\n%s", converted)
			}
			for _, part := range test.has {
				if !strings.Contains(converted, part) {
					t.Errorf("no %s in\n%s", part, converted)
				}
			}
		})
	}
}
