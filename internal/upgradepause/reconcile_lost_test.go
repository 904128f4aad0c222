package upgradepause

import (
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestRolloutsOneByOne: the MachineDeployments of a Cluster come to one version one after another. Sickbay ends each pause itself, so that is
// no fight, and it pauses each rollout at once.
func TestRolloutsOneByOne(t *testing.T) {
	onEachKind(t, func(f *harness) {
		check := f.check("mhc", nil)
		for i := range 9 {
			f.upgrading("cluster/v1.34.0")
			f.reconcile(check)
			if read(t, f.env.Client, f.Kind, client.ObjectKeyFromObject(check)).Annotations[keyPaused] == "" {
				t.Fatalf("rollout %d has begun, and the MachineHealthCheck is not paused", i+1)
			}
			f.pass(5 * time.Minute)
			f.upgrading()
			f.reconcile(check)
			f.pass(10 * time.Second)
		}
	})
}

// TestLostWithoutATrace: a program that replaces all annotations removes each pause. Sickbay pauses again, but only once a minute.
func TestLostWithoutATrace(t *testing.T) {
	onEachKind(t, func(f *harness) {
		check := f.check("mhc", stored{"owner": "me"})
		f.upgrading("A")
		f.reconcile(check)
		f.pass(time.Second)
		f.unannotate(check, keyPaused, keyMarker, keyHandled, keySince)
		if after := f.reconcile(check); after != betweenPauses-time.Second {
			f.t.Errorf("looks again after %s, want the rest of a minute", after)
		}
		f.wantStored(check, stored{"owner": "me"})
		now := f.pass(betweenPauses)
		f.reconcile(check)
		f.wantStored(check, ours("A", now).And(stored{"owner": "me"}))
	})
}
