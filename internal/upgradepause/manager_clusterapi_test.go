package upgradepause

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/client-go/tools/events"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

const (
	v33, v34  = "v1.33.1", "v1.34.0"
	toV34     = "cluster/" + v34
	wantsThem = "true"
)

// withChecks stores MachineHealthChecks named after their Clusters, and one of OpenShift, which belongs to no Cluster.
func (s *stage) withChecks(clusters ...string) {
	s.t.Helper()
	for _, cluster := range clusters {
		mhc := build.MachineHealthCheck(s.ns, cluster, build.InCluster(cluster))
		s.Expect(s.env.Client.Create(s.t.Context(), mhc)).To(Succeed())
	}
	s.check(OpenShiftKind, "openshift", nil)
}

func (s *stage) of(cluster string) func() stored { return s.annotations(ClusterAPIKind, cluster) }

// later lets time pass.
func (s *stage) later() time.Time {
	s.clock.SetTime(s.clock.Now().Add(time.Hour))
	return s.clock.Now()
}

// TestManagerCluster: a Cluster that opts in pauses its own MachineHealthChecks, from the first machine of the control plane to the
// last worker.
func TestManagerCluster(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	blue := newFleet(t, s.env, s.ns, "blue", v33, build.Annotation(pause.OptionAnnotation, wantsThem))
	green := newFleet(t, s.env, s.ns, "green", v33)
	s.withChecks("blue", "green")
	s.recorder = events.NewFakeRecorder(10)
	s.run(s.env.Config)

	green.planeWants(t, v34)
	blue.planeWants(t, v34)
	s.Eventually(s.of("blue")).Should(Equal(ours(toV34, noon)))
	s.later()
	blue.workersWant(t, v34)
	blue.planeHas(t, v33, v34)
	blue.planeHas(t, v34)
	blue.workersHave(t, v34, v33)
	over := s.later()
	blue.workersHave(t, v34)
	s.Eventually(s.of("blue")).Should(Equal(resumed(over)))
	s.Eventually(s.recorder.Events).Should(HaveLen(2), "it was paused once, and resumed once")
	s.Expect(s.of("green")()).To(BeEmpty(), "its Cluster does not ask for pauses")
	s.Expect(s.annotations(OpenShiftKind, "openshift")()).To(BeEmpty(), "it belongs to no Cluster")

	green.option(t, wantsThem)
	s.Eventually(s.of("green")).Should(Equal(ours(toV34, over)), "its Cluster asks in the midst of the upgrade")
	green.option(t, "")
	s.Eventually(s.of("green")).Should(Equal(resumed(over)), "its Cluster does not ask any more")
}

// TestManagerClusterGone: a Cluster that is deleted during its upgrade leaves nothing paused, and no series, whether its
// MachineHealthChecks go before or after it.
func TestManagerClusterGone(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	wants := build.Annotation(pause.OptionAnnotation, wantsThem)
	blue, green := newFleet(t, s.env, s.ns, "blue", v33, wants), newFleet(t, s.env, s.ns, "green", v33, wants)
	s.withChecks("blue", "green")
	s.run(s.env.Config)
	for _, fleet := range []*fleet{blue, green} {
		fleet.workersWant(t, v34)
		s.Eventually(s.of(fleet.cluster.Name)).Should(Equal(ours(toV34, noon)))
	}
	upgrading := func() []string { return seriesIn(t, s.ns, upgradingGauge) }
	s.Expect(upgrading()).To(ConsistOf(`kind="Cluster",name="blue",namespace="NS"} 1`, `kind="Cluster",name="green",namespace="NS"} 1`))

	s.Expect(s.env.Client.Delete(t.Context(), blue.cluster)).To(Succeed())
	s.Eventually(s.of("blue")).Should(Equal(resumed(noon)))
	s.Eventually(upgrading).Should(ConsistOf(`kind="Cluster",name="green",namespace="NS"} 1`))

	s.Expect(s.env.Client.Delete(t.Context(), build.MachineHealthCheck(s.ns, "green"))).To(Succeed())
	s.Eventually(func() []string { return seriesIn(t, s.ns, pausedGauge) }).ShouldNot(ContainElement(ContainSubstring(`"green"`)))
	s.Expect(s.env.Client.Delete(t.Context(), green.cluster)).To(Succeed())
	s.Eventually(upgrading).Should(BeEmpty())
}
