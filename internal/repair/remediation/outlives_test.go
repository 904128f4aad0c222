package remediation

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestReplacementOutlivesItsMachineHealthCheck: as long as the machine is there, its record goes on under the MachineHealthCheck that selects it
// now. It goes on when the machine is gone, too.
func TestReplacementOutlivesItsMachineHealthCheck(t *testing.T) {
	t.Parallel()
	anew := func(name string) func(f *harness) {
		return func(f *harness) {
			remove(f, f.mhc)
			build.Create(t.Context(), t, f.env.Client, build.MachineHealthCheck(f.ns, name))
		}
	}
	for name, happens := range map[string]func(f *harness){"deleted and made anew": anew("mhc"), "another one takes over": anew("other")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newHarness(t)
			a := f.sick("a")
			record := f.admit(a, by(step(v1alpha1.ActionReplace)))
			f.reconcile(record)
			happens(f)
			f.reconcile(record)
			f.wantRecord(record, "Acting Acting replace:-") // it has outlived it so far
			b := f.comes("b")
			f.goes(a)
			f.reconcile(record)
			if got := f.summary(record); got != "Acting WaitingForReplacement replace:-" {
				t.Errorf("record is %q", got)
			}
			f.pass(time.Minute)
			f.judge(b, metav1.ConditionFalse)
			f.reconcile(record)
			// The attempt must count for the machine in its place, or a broken image is rolled out for ever.
			if got := f.summary(record); got != "Ended Ended ReplacementFailed replace:Failed" {
				t.Errorf("record is %q", got)
			}
		})
	}
}

var _ = clusterv1.ClusterNameLabel
