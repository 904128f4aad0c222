package mhcspec

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestSelecting: the oldest that selects a Machine comes first, then by name, in whatever order the cache lists them.
func TestSelecting(t *testing.T) {
	named := func(name string, age time.Duration, opts ...build.MachineHealthCheckOption) *clusterv1.MachineHealthCheck {
		return build.MachineHealthCheck("ns", name, append(opts, build.CreatedAt(now.Add(-age)))...)
	}
	selectsNothing := build.Selector(map[string]string{"no": "match"})
	tests := map[string]struct {
		mhcs []*clusterv1.MachineHealthCheck
		want []string
	}{
		"none":                              {nil, nil},
		"none that selects it":              {[]*clusterv1.MachineHealthCheck{named("a", 1, selectsNothing)}, nil},
		"one":                               {[]*clusterv1.MachineHealthCheck{named("a", 1)}, []string{"a"}},
		"the oldest":                        {[]*clusterv1.MachineHealthCheck{named("a", time.Hour), named("b", 2*time.Hour), named("c", 0)}, []string{"b", "a", "c"}},
		"the first by name among equals":    {[]*clusterv1.MachineHealthCheck{named("b", 0), named("a", 0), named("c", 0)}, []string{"a", "b", "c"}},
		"an older one that does not select": {[]*clusterv1.MachineHealthCheck{named("a", time.Hour, selectsNothing), named("b", 0)}, []string{"b"}},
		"an older one that is deleted":      {[]*clusterv1.MachineHealthCheck{named("a", time.Hour, build.Deleting(now)), named("b", 0)}, []string{"b"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				var s Selectors
				var got []string
				for _, mhc := range s.Selecting(machine(), rapid.Permutation(tt.mhcs).Draw(t, "in any order")) {
					got = append(got, mhc.Name)
				}
				if !slices.Equal(got, tt.want) {
					t.Fatalf("it is selected by %q, want %q", got, tt.want)
				}
			})
		})
	}
}
