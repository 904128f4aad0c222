package mhcspec

import (
	"fmt"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"pgregory.net/rapid"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// indexed is a client with the indexes of a cache.
func indexed(t rapid.TB, objects ...client.Object) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := clusterv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	builder := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...)
	for _, index := range Indexes() {
		builder.WithIndex(index.Object, index.Field, index.Extract)
	}
	return builder.Build()
}

// someLabels draws from few labels, so that many are the same.
func someLabels(t *rapid.T, what string) map[string]string {
	keys := []string{"pool", "zone", "a/pool"}
	return rapid.MapOfN(rapid.SampledFrom(keys), rapid.SampledFrom([]string{"1", "2", ""}), 0, len(keys)).Draw(t, what)
}

// TestCandidates: a search for the MachineHealthChecks of a Machine, or for the rivals of one, misses none.
func TestCandidates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var objects []client.Object
		var checks []*clusterv1.MachineHealthCheck
		for i := range rapid.IntRange(1, 8).Draw(t, "checks") {
			mhc := build.MachineHealthCheck("ns", fmt.Sprint("mhc-", i), build.InCluster(rapid.SampledFrom([]string{"c", "d"}).Draw(t, "cluster")),
				build.Selector(someLabels(t, "selector")))
			if rapid.Bool().Draw(t, "by expression") {
				mhc.Spec.Selector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "zone", Operator: metav1.LabelSelectorOpExists}}
			}
			checks, objects = append(checks, mhc), append(objects, mhc)
		}
		machine := build.Machine("ns", "m", build.InCluster("c"))
		machine.Labels = someLabels(t, "labels")
		machine.Labels[clusterv1.ClusterNameLabel] = "c"
		reader, selectors := indexed(t, append(objects, machine)...), &Selectors{}

		found, err := MachineHealthChecksFor(t.Context(), reader, machine)
		if err != nil {
			t.Fatal(err)
		}
		for _, mhc := range checks {
			selected, err := selectors.MachinesSelectedBy(t.Context(), reader, mhc)
			if err != nil || selectors.Matches(mhc, machine) != (len(selected) == 1) {
				t.Fatalf("%+v selects %d Machines with the labels %v: %v", mhc.Spec.Selector, len(selected), machine.Labels, err)
			}
			if !selectors.Matches(mhc, machine) {
				continue
			}
			if n := count(found, mhc); n != 1 {
				t.Errorf("%+v selects %v, and is found %d times", mhc.Spec.Selector, machine.Labels, n)
			}
			rivals, err := Rivals(t.Context(), reader, mhc)
			if err != nil {
				t.Fatal(err)
			}
			for _, other := range checks {
				if selectors.Matches(other, machine) && count(rivals, other) != 1 {
					t.Errorf("%+v and %+v select the same, and are rivals %d times", mhc.Spec.Selector, other.Spec.Selector, count(rivals, other))
				}
			}
		}
	})
}

func count(all []*clusterv1.MachineHealthCheck, one *clusterv1.MachineHealthCheck) int {
	return len(slices.DeleteFunc(slices.Clone(all), func(mhc *clusterv1.MachineHealthCheck) bool { return mhc.Name != one.Name }))
}

// TestFewCandidates: among a thousand pools, a Machine concerns only its own.
func TestFewCandidates(t *testing.T) {
	var objects []client.Object
	for i := range 1000 {
		objects = append(objects, build.MachineHealthCheck("ns", fmt.Sprint("mhc-", i), build.Selector(map[string]string{"pool": fmt.Sprint(i)})))
	}
	objects = append(objects, build.MachineHealthCheck("ns", "all"), build.MachineHealthCheck("ns", "zone", build.Selector(map[string]string{"zone": "1"})))
	reader := indexed(t, objects...)
	found, err := MachineHealthChecksFor(t.Context(), reader, build.Machine("ns", "m", build.Label("pool", "7")))
	if err != nil || len(found) != 2 {
		t.Errorf("%d MachineHealthChecks are found: %v", len(found), err)
	}
	rivals, err := Rivals(t.Context(), reader, objects[7].(*clusterv1.MachineHealthCheck))
	if err != nil || len(rivals) != 3 {
		t.Errorf("%d rivals are found: %v", len(rivals), err)
	}
}
