package convert

import (
	"slices"
	"testing"
	"time"

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
