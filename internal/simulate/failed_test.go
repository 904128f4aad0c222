package simulate

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestFailedMachineIsReplacedOnce: a machine that its provider has given up is replaced once: its successor is another machine.
//
//nolint:staticcheck // Cluster API says so nowhere else than in deprecated fields.
func TestFailedMachineIsReplacedOnce(t *testing.T) {
	f := newFleet().healthy(3)
	f.machine("s1", corev1.ConditionTrue, time.Hour, build.MachineFunc(func(m *clusterv1.Machine) {
		m.Status.Deprecated = &clusterv1.MachineDeprecatedStatus{V1Beta1: &clusterv1.MachineV1Beta1DeprecatedStatus{
			FailureMessage: new("the instance is gone"),
		}}
	}))
	r, err := f.play(Options{}, Changes{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Summary.Repaired != 1 {
		t.Errorf("%d machines are repaired, want 1: %s", r.Summary.Repaired, r.Answer())
	}
}
