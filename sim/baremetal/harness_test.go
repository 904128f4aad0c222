package baremetal_test

import (
	"context"
	"testing"
	"time"

	metal3api "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/sim/baremetal"
)

func TestMain(m *testing.M) { env.Main(m, env.WithScheme(metal3api.AddToScheme)) }

const (
	plain = metal3api.RebootAnnotationPrefix
	key   = plain + "/test"
	soft  = `{"mode":"soft"}`
	hard  = `{"mode":"hard"}`

	patience = time.Minute
	// tick is how far the clock advances between two looks at a host.
	tick = 2 * time.Second
)

// production has the real operator's times. The tests' fake clock makes them short.
var production = baremetal.Options{
	Poll: time.Minute, Retry: 3 * time.Second, Backoff: time.Minute, SoftTimeout: 3 * time.Minute,
}

// harness is an operator with one host and a clock of its own.
type harness struct {
	testing.TB
	g        *WithT
	ctx      context.Context
	client   client.Client
	operator *baremetal.Operator
	clock    *clocktesting.FakeClock
	*baremetal.Host
	key client.ObjectKey
}

// newHarness returns a harness without a host object.
func newHarness(t *testing.T) *harness {
	t.Helper()
	t.Parallel()
	e := env.Get(t)
	if err := baremetal.InstallCRDs(e.Config); err != nil {
		t.Fatal(err)
	}
	namespace := e.Namespace(t)
	s := &harness{
		TB: t, g: NewWithT(t), ctx: t.Context(), client: e.Client, key: client.ObjectKey{Namespace: namespace, Name: "host"},
		clock: clocktesting.NewFakeClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)),
	}
	options := production
	options.Namespaces, options.Clock = []string{namespace}, s.clock
	var err error
	if s.operator, err = baremetal.Start(s.ctx, e.Config, options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.operator.Close(); err != nil {
			t.Error(err)
		}
	})
	s.Host = s.operator.Host(s.key)
	return s
}

// newRunning returns a harness whose host is on.
func newRunning(t *testing.T) *harness {
	t.Helper()
	s := newHarness(t)
	s.create(func(*metal3api.BareMetalHost) {})
	s.turns(true)
	return s
}

func (s *harness) create(change func(*metal3api.BareMetalHost)) {
	s.Helper()
	host := &metal3api.BareMetalHost{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.key.Namespace, Name: s.key.Name},
		Spec: metal3api.BareMetalHostSpec{
			Online: true, ExternallyProvisioned: true, BootMACAddress: "00:00:5e:00:53:01",
			BMC: metal3api.BMCDetails{Address: "ipmi://192.0.2.1", CredentialsName: "bmc"},
		},
	}
	change(host)
	if err := s.client.Create(s.ctx, host); err != nil {
		s.Fatalf("creating the host: %v", err)
	}
}

func (s *harness) get() *metal3api.BareMetalHost {
	s.Helper()
	host := &metal3api.BareMetalHost{}
	if err := s.client.Get(s.ctx, s.key, host); err != nil {
		s.Fatalf("reading the host: %v", err)
	}
	return host
}

func (s *harness) has(key string) bool {
	s.Helper()
	_, ok := s.get().Annotations[key]
	return ok
}

func (s *harness) change(change func(*metal3api.BareMetalHost)) {
	s.Helper()
	host := s.get()
	before := host.DeepCopy()
	change(host)
	if err := s.client.Patch(s.ctx, host, client.MergeFrom(before)); err != nil {
		s.Fatalf("changing the host: %v", err)
	}
}

func (s *harness) annotate(key, value string) {
	s.Helper()
	s.change(func(h *metal3api.BareMetalHost) { metav1.SetMetaDataAnnotation(&h.ObjectMeta, key, value) })
}

func (s *harness) drop(key string) {
	s.Helper()
	s.change(func(h *metal3api.BareMetalHost) { delete(h.Annotations, key) })
}

// becomes advances the clock until a condition holds.
func (s *harness) becomes(what string, so func() bool) {
	s.Helper()
	s.g.Eventually(func() bool {
		s.clock.Step(tick)
		return so()
	}).WithTimeout(patience).WithPolling(5*time.Millisecond).Should(BeTrue(), what)
}

// stays advances the clock far, and checks that a condition always holds.
func (s *harness) stays(what string, so func() bool) {
	s.Helper()
	s.g.Consistently(func() bool {
		s.clock.Step(tick)
		return so()
	}).WithTimeout(500*time.Millisecond).WithPolling(5*time.Millisecond).Should(BeTrue(), what)
}

// turns advances the clock until the status says on or off. The status must not say so
// before the machine is.
func (s *harness) turns(on bool) {
	s.Helper()
	s.becomes("status.poweredOn", func() bool {
		if s.get().Status.PoweredOn != on {
			return false
		}
		if s.Running() != on {
			s.Fatalf("status.poweredOn is %t, and the machine is not: %v", on, s.History())
		}
		return true
	})
}

// last returns when the machine last got or lost its power.
func (s *harness) last() time.Time {
	s.Helper()
	history := s.History()
	if len(history) == 0 {
		s.Fatal("the machine never had power")
	}
	return history[len(history)-1].At
}

func (s *harness) hasPowerError() bool {
	return s.get().Status.ErrorType == metal3api.PowerManagementError
}
