package machinehealthcheck

import (
	"fmt"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestNumbersWait: in a storm over a thousand Machines the status is not stored with each verdict, but once numbers have
// waited for a tenth of a second, and at once if it says something else than before.
func TestNumbersWait(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	w := newHarness(t)
	mhc := w.check(t, build.TriggerIfAtMost(intstr.FromInt32(2)))
	all := make([]admission.Target, 1000)
	for i := range all {
		all[i] = admission.Target{Machine: build.Machine(w.ns, fmt.Sprintf("m%d", i), w.verdict(metav1.ConditionTrue))}
	}
	// store has so many Machines be sick and returns how long that is to wait, and how many are healthy by the status.
	store := func(n int) (time.Duration, int32) {
		t.Helper()
		latest, _ := stored(t, w, mhc)
		for i := range n {
			all[i].Machine = build.Machine(w.ns, fmt.Sprintf("m%d", i), w.verdict(metav1.ConditionFalse))
		}
		f := admission.Facts{MachineHealthCheck: latest, Cluster: w.cluster, Targets: all}
		later, err := w.storeStatus(t.Context(), f, admission.Decide(f, w.clock.Now()))
		g.Expect(err).NotTo(HaveOccurred())
		latest, _ = stored(t, w, mhc)
		return later, *latest.Status.CurrentHealthy
	}
	expect := func(n int, later time.Duration, healthy int32) {
		t.Helper()
		wait, latest := store(n)
		g.Expect(wait).To(Equal(later))
		g.Expect(latest).To(Equal(healthy))
	}

	expect(0, 0, 1000)
	expect(0, 0, 1000) // nothing to say is nothing to wait for
	expect(1, 100*time.Millisecond, 1000)
	w.pass(30 * time.Millisecond)
	expect(2, 70*time.Millisecond, 1000)
	w.pass(70 * time.Millisecond)
	expect(2, 0, 998)
	expect(3, 0, 997) // too many
}
