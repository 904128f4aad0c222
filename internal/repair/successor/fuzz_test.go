package successor

import (
	"testing"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// FuzzReplacedBy: whatever a control plane has noted on a Machine, a name that it does not have is none.
func FuzzReplacedBy(f *testing.F) {
	f.Add(`{"machine":"m","timestamp":"2026-11-23T00:00:00Z","retryCount":1}`)
	f.Add(`{"machine":7}`)
	f.Add("null")
	f.Add("")
	f.Fuzz(func(t *testing.T, value string) {
		machine := &clusterv1.Machine{}
		machine.Annotations = map[string]string{ForAnnotation: value}
		if name, named := replacedBy(machine); name != "" && value == "" || named && value == "" {
			t.Errorf("%q names %q", value, name)
		}
	})
}
