package pause

import (
	"slices"
	"testing"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// FuzzAnnotations: whatever a MachineHealthCheck records, only upgrades in progress are kept.
func FuzzAnnotations(f *testing.F) {
	f.Add("sickbay", "", "v1,v2", "2026-11-23T00:00:00Z")
	f.Add("", "true", ",,,", "")
	f.Add("\x00", "\xff", "v2", "yesterday")
	f.Fuzz(func(t *testing.T, paused, marker, noted, at string) {
		annotations := map[string]string{clusterv1.PausedAnnotation: paused, MarkerAnnotation: marker, HandledAnnotation: noted, PausedAtAnnotation: at}
		f := Facts{Annotations: annotations, Upgrades: []Upgrade{{ID: "v2"}, {ID: "v3"}}}
		if ids := f.record(); !slices.Equal(ids, []string{"v2", "v3"}) {
			t.Errorf("%q are recorded", ids)
		}
		holderOf(annotations)
		if value := pausedValue(annotations); holderOf(map[string]string{clusterv1.PausedAnnotation: value, MarkerAnnotation: ""}) != us {
			t.Errorf("%q is not known as a pause of ours", value)
		}
		timeOf(annotations, PausedAtAnnotation, noon)
	})
}
