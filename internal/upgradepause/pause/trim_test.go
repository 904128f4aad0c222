package pause

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"
)

type tree = map[string]any

func TestTrim(t *testing.T) {
	for name, tt := range map[string]struct{ full, want tree }{
		"all there is": {
			full: tree{
				"apiVersion": "controlplane.cluster.x-k8s.io/v1beta2", "kind": "KubeadmControlPlane",
				"metadata": tree{
					"name": "cp", "namespace": "ns", "uid": "1", "resourceVersion": "7", "labels": tree{"l": "v"},
					"annotations": tree{"last-applied": "long"}, "managedFields": []any{tree{"manager": "m"}},
					"ownerReferences": []any{tree{"kind": "Cluster", "name": "c"}},
				},
				"spec":   tree{"version": "v1.31.0", "replicas": int64(3), "kubeadmConfigSpec": tree{"files": []any{"long"}}},
				"status": tree{"version": "v1.30.9", "versions": []any{tree{"version": "v1.30.9"}}, "conditions": []any{tree{"type": "Ready"}}},
				"extra":  "dropped",
			},
			want: tree{
				"apiVersion": "controlplane.cluster.x-k8s.io/v1beta2", "kind": "KubeadmControlPlane",
				"metadata": tree{
					"name": "cp", "namespace": "ns", "uid": "1", "resourceVersion": "7", "labels": tree{"l": "v"},
					"ownerReferences": []any{tree{"kind": "Cluster", "name": "c"}},
				},
				"spec":   tree{"version": "v1.31.0"},
				"status": tree{"version": "v1.30.9", "versions": []any{tree{"version": "v1.30.9"}}},
			},
		},
		"being created":  {tree{"metadata": tree{"name": "cp"}, "spec": tree{"version": "v1"}}, tree{"metadata": tree{"name": "cp"}, "spec": tree{"version": "v1"}}},
		"nothing to say": {tree{"metadata": tree{"name": "cp"}, "spec": tree{}, "status": tree{"ready": true}}, tree{"metadata": tree{"name": "cp"}, "spec": tree{}, "status": tree{}}},
		"odd":            {tree{"metadata": tree{"name": "cp"}, "spec": "odd", "status": []any{}}, tree{"metadata": tree{"name": "cp"}}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, kind := range []string{"apiVersion", "kind"} {
				if _, ok := tt.want[kind]; !ok {
					tt.want[kind] = nil
				}
			}
			got := &unstructured.Unstructured{Object: tt.full}
			trim(got)
			if diff := cmp.Diff(tt.want, got.Object); diff != "" {
				t.Errorf("trimmed (-want +got):\n%s", diff)
			}
			trim(got) // a cache may trim twice
			if diff := cmp.Diff(tt.want, got.Object); diff != "" {
				t.Errorf("trimmed twice (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTrimChangesNoAnswer: a trimmed control plane upgrades to the same version as the original.
func TestTrimChangesNoAnswer(t *testing.T) {
	versions := rapid.SampledFrom([]string{"", "v1.30.9", "v1.31.0", "v1.31.0+1", "latest"})
	rapid.Check(t, func(t *rapid.T) {
		status := tree{}
		if rapid.Bool().Draw(t, "status.versions") {
			status = planeVersions(rapid.SliceOfN(versions, 0, 3).Draw(t, "versions")...)
		}
		if rapid.Bool().Draw(t, "status.version") {
			status["version"] = versions.Draw(t, "current")
		}
		status["conditions"] = []any{}
		whole := plane(versions.Draw(t, "target"), status)
		trimmed := whole.DeepCopy()
		trim(trimmed)
		want, wantErr := controlPlaneTarget(whole, &fleetState{})
		got, err := controlPlaneTarget(trimmed, &fleetState{})
		if got != want || (err == nil) != (wantErr == nil) {
			t.Fatalf("got %q, %v, want %q, %v", got, err, want, wantErr)
		}
	})
}
