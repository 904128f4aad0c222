package remediation

import (
	"testing"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
)

// TestWhatNobodyCarriesOutHoldsNoRepair: an annotation that intake does not take in, since it refuses it, or since no cycle is there that could go on
// with it, is carried out by nobody. The repair of the sick machine does not wait for it for ever.
func TestWhatNobodyCarriesOutHoldsNoRepair(t *testing.T) {
	t.Parallel()
	rows(t, map[string]func(f *harness, m *clusterv1.Machine){
		"reboot.metal3.io of the owner's template, which is refused": func(f *harness, m *clusterv1.Machine) {
			ownedByTemplatedSet(f, cycleAnnotation)
			annotate(f, m, cycleAnnotation, "")
		},
		"reboot.metal3.io/PowerOn that comes too late": func(f *harness, m *clusterv1.Machine) {
			annotate(f, m, rebootannotation.Request+"/PowerOn", "")
		},
	}, func(t *testing.T, happens func(f *harness, m *clusterv1.Machine)) {
		t.Helper()
		f := newHarness(t)
		a := f.sick("a")
		happens(f, a)
		repair := f.admit(a, by(step(v1alpha1.ActionReboot)))
		f.takesIn(a)
		if n := f.recordsMade(); n != 1 {
			return
		}
		f.reconcile(repair)
		if got := f.summary(repair); got != "Acting Acting reboot:-" {
			s, _ := stored(f, repair)
			t.Errorf("the repair is %s: %s", got, s.Status.Conditions[0].Message)
		}
	})
}
