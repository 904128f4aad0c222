package cycle_test

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot"
)

// brain is one life of the controllers' process. Tests call it by hand.
type brain struct {
	client     client.Client
	namespace  string
	reconciler *reboot.Reconciler
	sweeper    *reboot.Sweeper
	// page records what happens in the namespace; read counts the entries that were handled. due is the latest time at
	// which a controller wants to look again.
	page *page
	read int
	due  time.Time
	time clock.PassiveClock
	// errors are the errors of all looks, oldest first.
	errors []error
}

// reborn begins a new life, which knows nothing of the one before.
func (s *harness) reborn() {
	s.Helper()
	c, cfg := s.overWire(s.account("reboot-without-cache", readsAll))
	s.brain = &brain{
		client: s.client, namespace: s.namespace, page: s.page, time: s.time, due: s.time.Now(),
		reconciler: &reboot.Reconciler{
			Kind: s.kind, Client: c, Live: c, Mapper: s.client.RESTMapper(), Workload: s.nodes(c, cfg, s.overWire),
			Recorder: s.log, Clock: s.time, SyncPeriod: syncPeriod,
		},
		sweeper: &reboot.Sweeper{Client: c, Live: c, Namespace: s.namespace},
	}
}

// overWire returns the connection to the API server for controllers that are called by hand.
func (s *harness) overWire(as *rest.Config) (client.Client, *rest.Config) {
	s.Helper()
	cfg := rest.CopyConfig(as)
	cfg.Wrap(s.wire.over)
	c, err := client.New(cfg, client.Options{Scheme: s.e.Scheme, Mapper: s.client.RESTMapper()})
	if err != nil {
		s.Fatal(err)
	}
	return c, cfg
}

// respite is the longest time between two looks.
const respite = time.Hour

// wanted reports whether something happened since the last turn, or a controller wants to look again.
func (b *brain) wanted() bool {
	entries, _ := b.page.read()
	return entries > b.read || !b.time.Now().Before(b.due)
}

// turn reconciles everything once.
func (b *brain) turn(ctx context.Context) {
	b.read, _ = b.page.read()
	b.due = b.time.Now().Add(respite)
	var requests v1alpha1.RebootRemediationList
	b.note(b.client.List(ctx, &requests, client.InNamespace(b.namespace)))
	for i := range requests.Items {
		b.look(ctx, b.reconciler.Reconcile, requests.Items[i].Name)
	}
}

func (b *brain) look(ctx context.Context, reconcile func(context.Context, ctrl.Request) (ctrl.Result, error), name string) {
	result, err := reconcile(ctx, ctrl.Request{NamespacedName: types.NamespacedName{Namespace: b.namespace, Name: name}})
	b.note(err)
	if again := b.time.Now().Add(result.RequeueAfter); (err != nil || result.RequeueAfter > 0) && again.Before(b.due) {
		b.due = again
	}
}

func (b *brain) note(err error) {
	if err != nil {
		b.errors = append(b.errors, err)
	}
}

// eventLog keeps the events.
type eventLog struct {
	mu      sync.Mutex
	reasons []string
	texts   []string
}

// Eventf implements events.EventRecorder.
func (l *eventLog) Eventf(_, _ runtime.Object, _, reason, _, note string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reasons = append(l.reasons, reason)
	l.texts = append(l.texts, reason+": "+fmt.Sprintf(note, args...))
}

// all returns the reasons of all events, oldest first.
func (l *eventLog) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.reasons...)
}
