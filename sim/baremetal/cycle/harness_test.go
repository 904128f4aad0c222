package cycle_test

import (
	"context"
	"testing"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/objects"
)

const (
	// patience allows for a machine that is busy.
	patience = 4 * time.Minute
	// tick is how far the clock advances between two looks, unless a test would only wait for minutes.
	tick = 50 * time.Millisecond
	// moment is how much real time the others get to do something before the clock advances.
	moment = 20 * time.Millisecond
)

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// harness is a namespace with an operator, the controllers, and a clock of their own.
type harness struct {
	testing.TB
	ctx       context.Context
	e         *env.Env
	client    client.Client
	namespace string
	// kind is the kind of the Machines.
	kind     schema.GroupVersionKind
	operator operator
	// time is the clock of everything. It is the fake clock, except in a manager.
	time  clock.WithTickerAndDelayedExecution
	clock *clocktesting.FakeClock
	// cluster is the workload cluster as the controllers reach it.
	cluster *cluster
	log     *eventLog
	wire    *wire
	brain   *brain
	// page records what happens in the namespace.
	page *page
	// pace is how far the clock advances between two looks.
	pace time.Duration
	// ahead is how far the fake clock is ahead of the real operator's time.
	ahead time.Duration
}

// newHarness returns a harness with a fake clock, for a parallel test.
func newHarness(t *testing.T, kind schema.GroupVersionKind) *harness {
	t.Helper()
	t.Parallel()
	return newHarnessAlone(t, kind)
}

// newHarnessAlone returns a harness for a test that decides itself whether it is parallel.
func newHarnessAlone(t *testing.T, kind schema.GroupVersionKind) *harness {
	t.Helper()
	begin := epoch
	if *binary != "" {
		begin = time.Now()
	}
	fake := clocktesting.NewFakeClock(begin)
	s := startHarness(t, kind, fake)
	s.clock = fake
	s.reborn()
	return s
}

func startHarness(t testing.TB, kind schema.GroupVersionKind, time clock.WithTickerAndDelayedExecution) *harness {
	t.Helper()
	e := server(t)
	s := &harness{TB: t, ctx: t.Context(), e: e, client: e.Client, namespace: e.Namespace(t), kind: kind, time: time, log: &eventLog{}, pace: tick}
	s.page = allNews.open(t, e, s.namespace)
	s.cluster, s.wire = &cluster{harness: s, minor: "35", touched: map[types.UID]bool{}}, &wire{harness: s}
	s.operator = s.startOperator()
	return s
}

// openShift reports whether the Machines are OpenShift's.
func (s *harness) openShift() bool { return s.kind == reboot.OpenShiftKind }

// becomes runs everything until a condition holds. The controllers look when something has happened or when they
// want to, as in a manager.
func (s *harness) becomes(what string, so func() bool) {
	s.Helper()
	s.eventually(what, func() bool {
		if so() {
			return true
		}
		s.step(s.pace)
		if s.brain.wanted() {
			s.look()
		}
		return false
	})
}

// turn runs everything for a moment. The controllers look even without a reason.
func (s *harness) turn() {
	s.Helper()
	s.step(s.pace)
	s.look()
}

// step advances the clock, and gives the others a moment to work.
func (s *harness) step(d time.Duration) {
	entries, _ := s.page.read()
	if *binary == "" {
		s.clock.Step(d)
		s.page.wait(entries, moment)
		return
	}
	s.page.wait(entries, 5*moment)
	s.ahead += d
	s.clock.SetTime(time.Now().Add(s.ahead))
}

func (s *harness) look() {
	s.Helper()
	s.brain.turn(s.ctx)
}

// passes advances the clock in small steps, and runs everything in between.
func (s *harness) passes(d time.Duration) {
	s.Helper()
	for end := s.clock.Now().Add(d); s.clock.Now().Before(end); {
		s.step(max(d/20, tick))
		s.turn()
	}
}

func (s *harness) hosts() []metal3v1.BareMetalHost {
	s.Helper()
	list := objects.List(s, s.client, &metal3v1.BareMetalHostList{}, s.namespace)
	return list.Items
}
