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

// TestFight: Sickbay does not fight a program that replaces all annotations for ever. It pauses less and less often, reports
// that once, and pauses at once for the next upgrade.
func TestFight(t *testing.T) {
	onEachKind(t, func(f *harness) {
		check := f.check("mhc", stored{"owner": "me"})
		lose := func() { f.unannotate(check, keyPaused, keyMarker, keyHandled, keySince) }
		f.upgrading("A")
		f.reconcile(check)
		for range mostAnew {
			lose()
			f.reconcile(check)
			f.wantStored(check, ours("A", noon).And(stored{"owner": "me"}))
		}
		f.wantEvents(pausedEvent, pausedEvent, pausedEvent, pausedEvent)

		for _, truce := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 10 * time.Minute, 10 * time.Minute} {
			lose()
			if after := f.reconcile(check); after != truce {
				f.t.Errorf("looks again after %s, want %s", after, truce)
			}
			f.wantStored(check, stored{"owner": "me"})
			f.wantSeries(foughtGauge, `group="`+f.Kind.Group+`",machinehealthcheck="mhc",namespace="NS"} 1`)
			now := f.pass(truce)
			f.reconcile(check)
			f.wantStored(check, ours("A", now).And(stored{"owner": "me"}))
		}
		f.wantEvents("Warning UpgradePauseFought All annotations of the pause have been removed 4 times",
			pausedEvent, pausedEvent, pausedEvent, pausedEvent, pausedEvent, pausedEvent)

		lose()
		f.upgrading("B")
		f.reconcile(check)
		f.wantStored(check, ours("B", f.clock.Now()).And(stored{"owner": "me"}))
		f.wantSeries(foughtGauge, `group="`+f.Kind.Group+`",machinehealthcheck="mhc",namespace="NS"} 0`)
	})
}
