package bundle

import (
	"strings"
	"testing"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestReduceKeepsNoCopies: annotations of Cluster API and Metal3 hold whole objects, with which anything could get into a bundle.
func TestReduceKeepsNoCopies(t *testing.T) {
	for _, key := range []string{
		"cluster.x-k8s.io/conversion-data", "controlplane.cluster.x-k8s.io/kubeadm-cluster-configuration", "baremetalhost.metal3.io/status", "inspect.metal3.io/hardwaredetails",
	} {
		kept := reduce(build.Machine("default", "m1", build.Annotation(key, `{"spec":{"token":"`+planted+`"}}`)))
		for _, value := range kept.GetAnnotations() {
			if strings.Contains(value, planted) {
				t.Errorf("the annotation %s is kept: %s", key, value)
			}
		}
	}
	for key, value := range map[string]string{"reboot.metal3.io/firmware": `{"mode":"hard"}`, "cluster.x-k8s.io/paused": "maintenance", "baremetalhost.metal3.io/detached": `{"deleteAction":"delay"}`} {
		if _, kept := reduce(build.Machine("default", "m1", build.Annotation(key, value))).GetAnnotations()[key]; !kept {
			t.Errorf("the annotation %s is not kept", key)
		}
	}
}
