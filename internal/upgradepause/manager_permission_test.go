package upgradepause

import (
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"github.com/prometheus/client_golang/prometheus/testutil"
	eventsv1 "k8s.io/api/events/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// TestManagerWithoutPermission: a manager that may not read the ClusterVersion reports that and pauses
// nothing. It continues by itself once it may.
func TestManagerWithoutPermission(t *testing.T) {
	s := newStage(t)
	cv := newOpenshift(t, s.env)
	cv.begin(t, "4.17.3", noon)
	s.Expect(s.installed.Set()).To(Succeed())
	for _, kind := range bothKinds {
		s.check(kind, "mhc", nil)
	}
	s.runAsUser()
	readable := func() float64 {
		return testutil.ToFloat64(readableGauge.WithLabelValues("ClusterVersion", "", clusterVersionName))
	}

	s.Eventually(s.eventsOn("ClusterVersion")).Should(ConsistOf(EventUnreadable))
	s.Expect(readable()).To(BeZero())
	for _, kind := range bothKinds {
		s.Expect(s.annotations(kind, "mhc")()).To(BeEmpty())
	}

	s.grant("config.openshift.io", "clusterversions", "get", "list", "watch")
	for _, kind := range bothKinds {
		s.Eventually(s.passing(s.annotations(kind, "mhc"))).Should(HaveKeyWithValue(keyHandled, "clusterversion/"+at(noon)))
	}
	s.Expect(readable()).To(Equal(1.0))
	s.Eventually(s.eventsOn("ClusterVersion")).Should(ConsistOf(EventReadable, EventUnreadable))
}

// TestManagerWithoutPermissionOnWorkers: the same for the parts of a Cluster. When they can be read at last,
// there may be none.
func TestManagerWithoutPermissionOnWorkers(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	blue := newFleet(t, s.env, s.ns, "blue", v33, build.Annotation(pause.OptionAnnotation, wantsThem))
	s.Expect(s.env.Client.Delete(t.Context(), blue.workers)).To(Succeed())
	blue.planeWants(t, v34)
	s.withChecks("blue")
	s.grant("controlplane.cluster.x-k8s.io", "kubeadmcontrolplanes", "get", "list", "watch")
	s.runAsUser()

	s.Eventually(s.eventsOn("Cluster")).Should(ConsistOf(EventUnreadable))
	s.Expect(s.of("blue")()).To(BeEmpty())
	s.Expect(seriesIn(t, s.ns, readableGauge)).To(ConsistOf(`kind="Cluster",name="blue",namespace="NS"} 0`))

	s.grant("cluster.x-k8s.io", "machinedeployments", "get", "list", "watch")
	s.grant("cluster.x-k8s.io", "machines", "get", "list", "watch")
	s.Eventually(s.passing(s.of("blue"))).Should(HaveKeyWithValue(keyHandled, toV34))
	s.Eventually(s.eventsOn("Cluster")).Should(ConsistOf(EventReadable, EventUnreadable))
}

// passing lets time pass at each look, so that the API server is asked again.
func (s *stage) passing(look func() stored) func() stored {
	return func() stored {
		s.clock.SetTime(s.clock.Now().Add(time.Second))
		return look()
	}
}

// runAsUser starts the manager as a user with only the necessary permissions.
func (s *stage) runAsUser() {
	s.t.Helper()
	s.period = time.Second
	s.grant("machine.openshift.io", "machinehealthchecks", "get", "list", "watch", "patch")
	s.grant("cluster.x-k8s.io", "machinehealthchecks", "get", "list", "watch", "patch")
	s.grant("cluster.x-k8s.io", "clusters", "get", "list", "watch")
	s.grant("events.k8s.io", "events", "create", "patch")
	cfg, _ := s.env.User(s.user())
	s.run(cfg)
}

// user is the manager's user when it may not do everything.
func (s *stage) user() string { return "pauser-" + s.ns }

// grant allows the user to do something.
func (s *stage) grant(group, resource string, verbs ...string) {
	s.t.Helper()
	_, user := s.env.User(s.user())
	s.env.Permit(s.t, "", user, rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{resource}, Verbs: verbs})
}

// eventsOn returns the reasons of the events on objects of a kind, in our namespace or in none.
func (s *stage) eventsOn(kind string) func() []string {
	return func() []string {
		var list eventsv1.EventList
		s.Expect(s.env.Client.List(s.t.Context(), &list)).To(Succeed())
		var reasons []string
		for i := range list.Items {
			on := list.Items[i].Regarding
			if on.Kind == kind && (on.Namespace == s.ns || on.Namespace == "") {
				reasons = append(reasons, list.Items[i].Reason)
			}
		}
		slices.Sort(reasons)
		return reasons
	}
}
