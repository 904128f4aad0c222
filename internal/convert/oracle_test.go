package convert

import (
	"slices"
	"strings"
	"testing"
	"time"

	apimachineryconversion "k8s.io/apimachinery/pkg/conversion"

	"github.com/sickbay-dev/sickbay/internal/manifest"
	"github.com/sickbay-dev/sickbay/internal/testing/docs"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
	clusterv1beta1 "sigs.k8s.io/cluster-api/api/core/v1beta1" //nolint:staticcheck // The deprecated version is what is converted.
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/yaml"
)

// TestAsClusterAPIConverts: Cluster API itself converts a MachineHealthCheck of v1beta1 in the same way, except for what
// v1beta2 rejects, and for fractions of seconds, which Cluster API drops.
func TestAsClusterAPIConverts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := &drawer{T: rt}
		d.clusterAPI()
		text := ""
		for _, line := range d.lines {
			text += line + "\n"
		}
		var from clusterv1beta1.MachineHealthCheck
		if err := yaml.UnmarshalStrict([]byte(text), &from); err != nil {
			rt.Fatal(err)
		}
		prepare(&from.Spec)
		var want, got clusterv1.MachineHealthCheck
		if err := clusterv1beta1.Convert_v1beta1_MachineHealthCheck_To_v1beta2_MachineHealthCheck(&from, &want, nil); err != nil {
			rt.Fatal(err)
		}
		converted, _ := stream(t, "drawn.yaml", []byte(text), options)
		if err := yaml.UnmarshalStrict([]byte(converted), &got); err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(want.Spec, got.Spec); diff != "" {
			rt.Fatalf("(-Cluster API +Sickbay):\n%s\nof\n%s", diff, text)
		}
	})
}

// TestClassesAsClusterAPIConverts: a ClusterClass and a Cluster of v1beta1 become what Cluster API itself makes of them.
func TestClassesAsClusterAPIConverts(t *testing.T) {
	documents, _ := manifest.Parse("clusterclass.yaml", []byte(docs.Text(t, "testdata/clusterclass.yaml")))
	seen := 0
	for _, document := range documents {
		obj := document.Objects[0]
		if obj.Kind().Version != "v1beta1" || len(Parts(obj)) == 0 {
			continue
		}
		// Cluster API's types take it, and its API does not.
		text := strings.ReplaceAll(document.Text, "      - type: Ready\n        status: Unknown\n        timeout: 1800s\n", "")
		converted, notes := stream(t, "a.yaml", []byte(text), options)
		if slices.ContainsFunc(notes, func(n Note) bool { return n.Lost }) {
			t.Errorf("said %v", notes)
		}
		if obj.Kind().Kind == "Cluster" {
			asClusterAPI(t, text, converted, clusterv1beta1.Convert_v1beta1_Cluster_To_v1beta2_Cluster, func(c *clusterv1.Cluster) any { return c.Spec })
		} else {
			asClusterAPI(t, text, converted, clusterv1beta1.Convert_v1beta1_ClusterClass_To_v1beta2_ClusterClass, func(c *clusterv1.ClusterClass) any { return c.Spec })
		}
		seen++
	}
	if seen != 2 {
		t.Errorf("compared %d objects", seen)
	}
}

// asClusterAPI compares a conversion with Cluster API's own. A switch that is off is as good as none.
func asClusterAPI[From, To any](t *testing.T, text, converted string, by func(*From, *To, apimachineryconversion.Scope) error, spec func(*To) any) {
	t.Helper()
	from, want, got := new(From), new(To), new(To)
	if err := yaml.UnmarshalStrict([]byte(text), from); err != nil {
		t.Fatal(err)
	}
	if err := by(from, want, nil); err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict([]byte(converted), got); err != nil {
		t.Fatal(err)
	}
	off := cmp.FilterValues(func(a, b *bool) bool { return (a == nil || !*a) && (b == nil || !*b) }, cmp.Ignore())
	if diff := cmp.Diff(spec(want), spec(got), off); diff != "" {
		t.Errorf("(-Cluster API +Sickbay):\n%s\nof\n%s", diff, converted)
	}
}

// prepare drops what v1beta2 rejects, and rounds up.
func prepare(spec *clusterv1beta1.MachineHealthCheckSpec) {
	spec.UnhealthyMachineConditions = slices.DeleteFunc(spec.UnhealthyMachineConditions,
		func(c clusterv1beta1.UnhealthyMachineCondition) bool {
			return slices.Contains(refusedConditions, c.Type)
		})
	up := func(d *metav1.Duration) { d.Duration = (d.Duration + time.Second - 1).Truncate(time.Second) }
	for i := range spec.UnhealthyMachineConditions {
		up(&spec.UnhealthyMachineConditions[i].Timeout)
	}
	for i := range spec.UnhealthyConditions {
		up(&spec.UnhealthyConditions[i].Timeout)
	}
}
