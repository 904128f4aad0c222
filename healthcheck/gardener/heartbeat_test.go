package gardener_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	coordinationv1 "k8s.io/api/coordination/v1"
	testingclock "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck/gardener"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
)

// The Lease is created at once, and renewed every 30 seconds.
func TestHeartbeat(t *testing.T) {
	g := NewWithT(t)
	e := env.Get(t)
	namespace, clock := e.Namespace(t), testingclock.NewFakeClock(now)
	e.Manager(t, env.ManagerOptions{Setup: func(mgr ctrl.Manager) error {
		return mgr.Add(&gardener.Heartbeat{Client: mgr.GetClient(), ExtensionName: "provider-aws", Namespace: namespace, Clock: clock})
	}})
	renewed := func() time.Time {
		lease := &coordinationv1.Lease{}
		key := client.ObjectKey{Namespace: namespace, Name: "gardener-extension-heartbeat"}
		if e.Client.Get(t.Context(), key, lease) != nil || lease.Spec.RenewTime == nil {
			return time.Time{}
		}
		g.Expect(lease.Spec.HolderIdentity).To(HaveValue(Equal("provider-aws")))
		g.Expect(lease.Spec.LeaseDurationSeconds).To(HaveValue(Equal(int32(30))))
		return lease.Spec.RenewTime.UTC()
	}
	for range 3 {
		g.Eventually(renewed, patience).Should(Equal(clock.Now()))
		g.Eventually(clock.HasWaiters, patience).Should(BeTrue())
		clock.Step(30 * time.Second)
	}
}
