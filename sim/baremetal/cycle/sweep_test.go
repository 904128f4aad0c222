package cycle_test

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot"
)

// TestSweep: the sweep removes the key of a RebootRemediation that was deleted by force, and
// no other key.
func TestSweep(t *testing.T) {
	onlySimulated(t, "more than one host in a namespace")
	s := newHarness(t, reboot.ClusterAPIKind)
	leaked, active := s.machine("leaked", plan{}), s.machine("active", plan{})
	for _, m := range []*machine{leaked, active} {
		obstacles[v1alpha1.Fenced].set(m)
		m.request(v1alpha1.RebootSettings{})
		s.pace = tick * 20
		m.reaches(v1alpha1.Fenced)
		m.annotateHost(otherKey, `{"mode":"hard"}`)
	}
	leaked.change(leaked.record(), func(o client.Object) { o.SetFinalizers(nil) })
	leaked.deleteRequest()
	if err := s.brain.sweeper.Sweep(s.ctx); err != nil {
		t.Fatal(err)
	}
	if s.held("leaked") {
		t.Error("the key that was left is still there")
	}
	if !s.held("active") {
		t.Error("the key of a cycle that goes on was taken away")
	}
	if _, kept := leaked.bareMetalHost().Annotations[otherKey]; !kept {
		t.Error("the key of somebody else was taken away")
	}
	leaked.unannotateHost(otherKey)
	active.unannotateHost(otherKey)
	obstacles[v1alpha1.Fenced].lift(active)
	active.ends(v1alpha1.Succeeded, "Succeeded")
	leaked.mustHaveCycled(1)
	active.mustHaveCycled(1)
}

// TestSweepAtStart: a manager removes a key that was left before it started.
func TestSweepAtStart(t *testing.T) {
	t.Parallel()
	s := newHarnessAlone(t, reboot.ClusterAPIKind)
	m := s.machine("m", plan{})
	m.annotateHost(ourPrefix+"0d5b1a3c-0000-4000-8000-000000000000", `{"mode":"hard"}`)
	m.awaits("the host is off", func() bool { return !m.Running() })
	manage(t, s)
	m.awaits("the key is gone", func() bool { return !m.held("m") })
	m.mustHaveCycled(1)
}
