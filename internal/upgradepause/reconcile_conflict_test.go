package upgradepause

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/sickbay-dev/sickbay/internal/controllerstate"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// TestChangedMeanwhile: what a person does between our read and our write is neither lost nor overruled. The
// write is refused, and Sickbay decides again.
func TestChangedMeanwhile(t *testing.T) {
	t.Parallel()
	paused := stored{keyPaused: "me"}
	tests := map[string]struct {
		has      stored
		upgrades []string
		does     map[string]*string
		gets     stored
		events   []string
	}{
		"begins, and they pause":      {nil, []string{"A"}, map[string]*string{keyPaused: new("me")}, paused.And(stored{keyHandled: "A"}), nil},
		"ends, and they unpause":      {ours("A", noon), nil, map[string]*string{keyPaused: nil}, stored{}, nil},
		"ends, and they write a note": {ours("A", noon), nil, map[string]*string{"note": new("x")}, resumed(noon).And(stored{"note": "x"}), []string{resumedEvent}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			onEachKind(t, func(f *harness) {
				check := f.check("mhc", tt.has)
				f.upgrading(tt.upgrades...)
				f.restart(f.meddling(f.once(func() { f.annotate(check, tt.does) })))
				if after := f.reconcile(check); after != controllerstate.Retry {
					f.t.Errorf("looks again after %s, want %s", after, controllerstate.Retry)
				}
				f.wantStored(check, tt.has.And(nil).After(pause.Decision{Changes: tt.does}.Changes))
				f.wantEvents()
				f.reconcile(check)
				f.wantStored(check, tt.gets)
				f.wantEvents(tt.events...)
			})
		})
	}
}

// TestCacheIsBehind: nothing is written or reported again before the cache shows the write. The API server
// would refuse, but Sickbay need not even ask.
func TestCacheIsBehind(t *testing.T) {
	onEachKind(t, func(f *harness) {
		check, writes := f.check("mhc", nil), 0
		f.restart(f.meddling(func() { writes++ }))
		f.freeze(check)
		f.upgrading("A")
		f.reconcile(check)
		f.wantEvents(pausedEvent)
		for i := range 3 {
			if after, want := f.reconcile(check), controllerstate.Retry<<i; after != want {
				f.t.Errorf("looks again after %s, want %s", after, want)
			}
		}
		f.upgrading()
		f.reconcile(check)
		f.wantStored(check, ours("A", noon))
		f.wantEvents()
		if writes != 1 {
			f.t.Errorf("%d writes, want 1", writes)
		}
		f.cache.Thaw()
		f.reconcile(check)
		f.wantStored(check, resumed(noon))
		f.wantEvents(resumedEvent)
	})
}

// TestGoneMeanwhile: that is no error, and a new object of the same name is another one.
func TestGoneMeanwhile(t *testing.T) {
	onEachKind(t, func(f *harness) {
		f.upgrading("A")
		gone := f.check("gone", nil)
		f.restart(f.meddling(func() { f.remove(gone) }))
		if after := f.reconcile(gone); after != 0 {
			f.t.Errorf("looks again after %s at what is gone", after)
		}
		again := f.check("again", nil)
		f.restart(f.meddling(f.once(func() {
			f.remove(again)
			f.check("again", stored{"another": "one"})
		})))
		if after := f.reconcile(again); after != controllerstate.Retry {
			f.t.Errorf("looks again after %s, want %s", after, controllerstate.Retry)
		}
		f.wantStored(again, stored{"another": "one"})
		f.wantEvents()
	})
}

// TestBeingDeleted: an object that is being deleted is left alone.
func TestBeingDeleted(t *testing.T) {
	onEachKind(t, func(f *harness) {
		check := f.check("mhc", nil)
		f.change(check, func(m *metav1.PartialObjectMetadata) { m.Finalizers = []string{"test.sickbay.dev/keep"} })
		f.remove(check)
		f.upgrading("A")
		f.wantRest(check)
		f.wantStored(check, stored{})
	})
}

// TestRefused: a write that fails is an error, so it is retried, and there is no event.
func TestRefused(t *testing.T) {
	onEachKind(t, func(f *harness) {
		bad, good := f.check("bad", nil), f.check("good", nil)
		f.restart(f.patching(refuse("bad")))
		f.upgrading("A")
		if _, err := f.tryReconcile(bad); err == nil {
			f.t.Error("no error, so nobody tries again")
		}
		f.wantEvents()
		f.reconcile(good)
		f.wantEvents(pausedEvent)

		f.restart(f.env.Client)
		later := f.pass(time.Minute)
		f.reconcile(bad)
		f.wantStored(bad, ours("A", later))
		f.restart(f.patching(refuse("bad")))
		f.upgrading()
		if _, err := f.tryReconcile(bad); err == nil {
			f.t.Error("no error, so nobody tries again")
		}
		f.wantStored(bad, ours("A", later))
	})
}

// The beginnings of the events; another test covers the rest of the texts.
const (
	pausedEvent  = "Normal PausedForUpgrade Paused: Upgrade A goes on"
	resumedEvent = "Normal ResumedAfterUpgrade Resumed: the upgrade is over"
)

// TestSyncPeriod: the next look is never later than the sync period, and sooner if a warning is due.
func TestSyncPeriod(t *testing.T) {
	onEachKind(t, func(f *harness) {
		check := f.check("mhc", nil)
		f.SyncPeriod = 10 * time.Minute
		want := func(want time.Duration) {
			f.t.Helper()
			if after := f.reconcile(check); after > want || after < want*9/10 {
				f.t.Errorf("looks again after %s, want %s, or up to a tenth less", after, want)
			}
		}
		want(10 * time.Minute)
		f.upgrading("A")
		want(10 * time.Minute)
		f.pass(warnAfter - time.Minute)
		want(time.Minute)
	})
}

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

// unreadableCluster stores a Cluster with an invalid option, with its MachineHealthCheck, and returns a function that deletes the
// Cluster.
func (f *harness) unreadableCluster() (check *metav1.PartialObjectMetadata, deleted func()) {
	f.t.Helper()
	nothing := func(context.Context, client.Object) error { return nil }
	f.Signals = []Signal{clusterAPI{reader: f.env.Client, rollouts: unindexed{f.env.Client}, mapper: f.env.Client.RESTMapper(), open: nothing}}
	cluster := build.Cluster(f.ns, build.ClusterName, build.Annotation(pause.OptionAnnotation, "nonsense"))
	build.Create(f.t.Context(), f.t, f.env.Client, cluster)
	check = f.check("mhc", nil)
	f.change(check, func(m *metav1.PartialObjectMetadata) {
		m.Labels = map[string]string{clusterv1.ClusterNameLabel: build.ClusterName}
	})
	return check, func() {
		f.t.Helper()
		if err := f.env.Client.Delete(f.t.Context(), cluster); err != nil {
			f.t.Fatal(err)
		}
		f.forgetDeleted(func(c client.Object) *corev1.ObjectReference { return clusterReference(client.ObjectKeyFromObject(c)) }).
			Delete(event.DeleteEvent{Object: cluster})
	}
}

// TestNobodySaysThatAClusterWhichIsGoneCanBeReadAgain: no event says that a deleted Cluster can be read again.
func TestNobodySaysThatAClusterWhichIsGoneCanBeReadAgain(t *testing.T) {
	t.Parallel()
	f := newHarness(t, ClusterAPIKind)
	check, deleted := f.unreadableCluster()
	f.reconcile(check)
	f.reconcile(check)
	f.wantEvents(unreadableEvent)
	deleted()
	f.reconcile(check)
	f.wantEvents()
}
