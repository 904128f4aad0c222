package machinehealthcheck

import (
	"fmt"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestNumbersWait: in a storm over a thousand Machines the status is not stored with each verdict, but once numbers have
// waited for a tenth of a second, and at once if it says something else than before.
func TestNumbersWait(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	w := newWard(t)
	mhc := w.check(t, build.TriggerIfAtMost(intstr.FromInt32(2)))
	all := make([]Target, 1000)
	for i := range all {
		all[i] = healthy(fmt.Sprintf("m%d", i))
	}
	// tell has so many Machines be sick and returns how long that is to wait, and how many are healthy by the status.
	tell := func(n int) (time.Duration, int32) {
		t.Helper()
		stored, _ := fetch(t, w, mhc)
		for i := range n {
			all[i] = sick(all[i].Machine.Name)
		}
		f := facts(stored, all...)
		later, err := w.tell(t.Context(), f, Decide(f, w.clock.Now()))
		g.Expect(err).NotTo(HaveOccurred())
		stored, _ = fetch(t, w, mhc)
		return later, *stored.Status.CurrentHealthy
	}
	expect := func(n int, later time.Duration, healthy int32) {
		t.Helper()
		wait, stored := tell(n)
		g.Expect(wait).To(Equal(later))
		g.Expect(stored).To(Equal(healthy))
	}

	expect(0, 0, 1000)
	expect(0, 0, 1000) // nothing to say is nothing to wait for
	expect(1, 100*time.Millisecond, 1000)
	w.clock.SetTime(w.clock.Now().Add(30 * time.Millisecond))
	expect(2, 70*time.Millisecond, 1000)
	w.clock.SetTime(w.clock.Now().Add(70 * time.Millisecond))
	expect(2, 0, 998)
	expect(3, 0, 997) // too many
}

func TestToldWait(t *testing.T) {
	var all told
	mhc := types.NamespacedName{Name: "mhc"}
	for _, tt := range []struct {
		machines int
		after    time.Duration
		want     time.Duration
	}{
		{99, 0, 0},
		{100, 0, 10 * time.Millisecond},
		{10_000, 0, time.Second},
		{10_000, 999 * time.Millisecond, time.Millisecond},
		{10_000, time.Second, 0},
		{10_000, time.Hour, 0},
	} {
		if got := all.wait(mhc, tt.machines, now); got != 0 {
			t.Errorf("never told of %d machines: waits %s", tt.machines, got)
		}
		all.note(mhc, now)
		if got := all.wait(mhc, tt.machines, now.Add(tt.after)); got != tt.want {
			t.Errorf("told of %d machines %s ago: waits %s, want %s", tt.machines, tt.after, got, tt.want)
		}
		all.forget(mhc)
	}
}

func TestUrgent(t *testing.T) {
	before := facts(check(build.TriggerIfAtMost(intstr.FromInt32(2))), sick("a"), healthy("b"), healthy("c"), healthy("d"))
	stored := before.MachineHealthCheck.DeepCopy()
	stored.Status = desired(before)
	with := func(all ...Target) clusterv1.MachineHealthCheckStatus {
		f := before
		f.MachineHealthCheck, f.Targets = stored, all
		return desired(f)
	}
	if urgent(stored, with(sick("a"), sick("b"), healthy("c"), healthy("d"))) {
		t.Error("another number is urgent")
	}
	if !urgent(stored, with(sick("a"), sick("b"), sick("c"), healthy("d"))) {
		t.Error("it is not urgent that remediation is restricted")
	}
	gone := with(sick("a"))
	gone.Conditions = gone.Conditions[1:]
	if !urgent(stored, gone) {
		t.Error("it is not urgent that a condition goes")
	}
	newer := with(sick("a"))
	newer.ObservedGeneration++
	if !urgent(stored, newer) {
		t.Error("it is not urgent that the spec is another")
	}
	none := stored.DeepCopy()
	none.Status.Conditions = nil
	if !urgent(none, with(sick("a"))) {
		t.Error("it is not urgent that a condition comes")
	}
}
