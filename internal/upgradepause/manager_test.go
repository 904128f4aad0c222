package upgradepause

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	testingclock "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// patience is far longer than an event takes. Most tests have no sync period, so only events can trigger
// anything.
const patience = 30 * time.Second

// stage is a namespace in which both controllers run in a manager, with the real manager's cache.
type stage struct {
	*WithT
	t   *testing.T
	env *env.Env
	ns  string
	// installed reports that ClusterVersion is installed. It is not set, so that stages without one can run
	// in parallel.
	installed *Installed
	// pools reports that MachineConfigPools are installed.
	pools *Installed
	clock *testingclock.FakePassiveClock
	// settle is how long Nodes may take to become Ready.
	settle time.Duration
	// period is how often to look again without an event; zero means never.
	period time.Duration
	// recorder, if set, receives the events instead of the API server.
	recorder *events.FakeRecorder
}

func newStage(t *testing.T) *stage {
	t.Helper()
	e := env.Get(t)
	g := NewWithT(t)
	g.SetDefaultEventuallyTimeout(patience)
	return &stage{
		WithT: g, t: t, env: e, ns: e.Namespace(t),
		installed: &Installed{}, pools: &Installed{}, clock: testingclock.NewFakePassiveClock(noon),
	}
}

// run starts the manager, with the given connection to the API server.
func (s *stage) run(cfg *rest.Config, configure ...func(*ctrl.Options)) {
	s.t.Helper()
	e := *s.env
	e.Config = cfg
	e.Manager(s.t, env.ManagerOptions{
		Namespaces: []string{s.ns},
		Configure: func(o *ctrl.Options) {
			o.Cache.DefaultTransform = ownwrites.KeepOurManagedFields
			o.Controller.UsePriorityQueue = new(false)
			for _, configure := range configure {
				configure(o)
			}
		},
		Setup: func(mgr ctrl.Manager) error {
			for _, kind := range bothKinds {
				r := &Reconciler{Kind: kind, ClusterVersion: s.installed, MachineConfigPools: s.pools, Namespace: s.ns, WarnAfter: warnAfter, SettleTimeout: s.settle, Clock: s.clock, SyncPeriod: s.period, Concurrency: 4}
				if s.recorder != nil {
					r.Recorder = s.recorder
				}
				if err := r.AddToManager(mgr); err != nil {
					return err
				}
			}
			return nil
		},
	})
}

// check stores a MachineHealthCheck.
func (s *stage) check(kind schema.GroupVersionKind, name string, annotations stored) {
	s.t.Helper()
	obj := newCheck(kind, s.ns, name)
	obj.SetAnnotations(annotations)
	s.Expect(s.env.Client.Create(s.t.Context(), obj)).To(Succeed())
}

// annotations returns the stored annotations.
func (s *stage) annotations(kind schema.GroupVersionKind, name string) func() stored {
	return func() stored {
		return read(s.t, s.env.Client, kind, client.ObjectKey{Namespace: s.ns, Name: name}).Annotations
	}
}

// TestManagerClusterVersion: one ClusterVersion drives both kinds.
func TestManagerClusterVersion(t *testing.T) {
	s := newStage(t)
	cv := newOpenshift(t, s.env)
	s.Expect(s.installed.Set()).To(Succeed())
	for _, kind := range bothKinds {
		s.check(kind, "mhc", nil)
		s.check(kind, "foreign", stored{keyPaused: ""})
	}
	s.run(s.env.Config)

	began := noon.Add(-time.Minute)
	cv.begin(t, "4.17.3", began)
	id := "clusterversion/" + at(began)
	for _, kind := range bothKinds {
		s.Eventually(s.annotations(kind, "mhc")).Should(Equal(ours(id, noon)))
		s.check(kind, "new", stored{"owner": "me"})
		s.Eventually(s.annotations(kind, "new")).Should(Equal(ours(id, noon).And(stored{"owner": "me"})), "it is created during the upgrade")
	}
	cv.end(t)
	for _, kind := range bothKinds {
		s.Eventually(s.annotations(kind, "mhc")).Should(Equal(resumed(noon)))
		s.Eventually(s.annotations(kind, "new")).Should(Equal(resumed(noon).And(stored{"owner": "me"})))
		s.Eventually(s.annotations(kind, "foreign")).Should(Equal(stored{keyPaused: ""}))
	}
}
