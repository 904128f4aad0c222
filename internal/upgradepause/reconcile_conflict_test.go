package upgradepause

import (
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/sickbay-dev/sickbay/internal/controllerstate"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/objects"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

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
		f.restart(f.meddling(sync.OnceFunc(func() {
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

// The beginnings of the events; another test covers the rest of the texts.
const (
	pausedEvent  = "Normal PausedForUpgrade Paused: Upgrade A goes on"
	resumedEvent = "Normal ResumedAfterUpgrade Resumed: the upgrade is over"
)

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

// TestNobodySaysThatAClusterWhichIsGoneCanBeReadAgain: no event says that a deleted Cluster can be read again.
func TestNobodySaysThatAClusterWhichIsGoneCanBeReadAgain(t *testing.T) {
	t.Parallel()
	f := newHarness(t, ClusterAPIKind)
	f.Signals = []Signal{clusterAPI{sources{cached: unindexed{f.env.Client}, mapper: f.env.Client.RESTMapper(), open: opened}}}
	cluster := build.Cluster(f.ns, build.ClusterName, build.Annotation(pause.OptionAnnotation, "nonsense"))
	build.Create(t.Context(), t, f.env.Client, cluster)
	check := f.check("mhc", nil)
	f.change(check, func(m *metav1.PartialObjectMetadata) {
		m.Labels = map[string]string{clusterv1.ClusterNameLabel: build.ClusterName}
	})
	f.reconcile(check)
	f.reconcile(check)
	f.wantEvents(unreadableEvent)
	objects.Delete(t, f.env.Client, cluster)
	f.onChange().Delete(event.DeleteEvent{Object: cluster})
	f.reconcile(check)
	f.wantEvents()
}
