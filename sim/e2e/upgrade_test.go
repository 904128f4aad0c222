package e2e_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/journal"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// newer is a version to upgrade to.
const newer = "v1.36.4"

// isPaused reports whether a MachineHealthCheck is paused for an upgrade. isResumed reports whether it was, and only the
// time of its resumption is left.
func isPaused(mhc *clusterv1.MachineHealthCheck) bool {
	_, marked := mhc.Annotations[pause.MarkerAnnotation]
	return marked && mhc.Annotations[clusterv1.PausedAnnotation] == mhcspec.UpgradeValue
}

func isResumed(mhc *clusterv1.MachineHealthCheck) bool {
	for _, key := range []string{
		clusterv1.PausedAnnotation, pause.MarkerAnnotation, pause.HandledAnnotation,
		pause.PausedAtAnnotation, pause.WarnedAtAnnotation, pause.SettlingAnnotation,
	} {
		if _, ok := mhc.Annotations[key]; ok {
			return false
		}
	}
	return mhc.Annotations[mhcspec.ResumedAtAnnotation] != ""
}

// TestControlPlaneUpgrade: KubeadmControlPlane replaces its machine with one of another version. The pause begins before
// the old machine is deleted, and ends after it is gone.
func TestControlPlaneUpgrade(t *testing.T) {
	t.Parallel()
	g := newTest(t)
	spec := world.ClusterSpec{
		Namespace: "upgrades", Name: "upgraded", Workers: 1, Annotations: map[string]string{pause.OptionAnnotation: "true"},
	}
	harness.Cluster(t, spec)
	mhc, excepted := healthCheck(spec.Key(), workers(spec.Key())), healthCheck(spec.Key(), metav1.LabelSelector{MatchLabels: map[string]string{"no": "machine"}})
	excepted.Name, excepted.Annotations = "excepted", map[string]string{pause.OptionAnnotation: "false"}
	for _, check := range []*clusterv1.MachineHealthCheck{mhc, excepted} {
		g.Expect(harness.World.Client().Create(t.Context(), check)).To(Succeed())
	}
	harness.Sickbay(t, spec.Namespace)
	g.Eventually(func(g Gomega) { settled(t, g, mhc, 1) }).Should(Succeed())
	machines, err := harness.World.ControlPlaneMachines(t.Context(), spec.Key())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(machines).To(HaveLen(1))

	g.Expect(fault.Upgrade{Cluster: spec.Key(), Version: newer}.Inject(t.Context(), harness.World)).To(Succeed())
	pause, err := harness.Journal.MachineHealthCheck(waitContext(t), client.ObjectKeyFromObject(mhc), "the pause", isPaused)
	g.Expect(err).NotTo(HaveOccurred())
	end, err := harness.Journal.MachineHealthCheck(waitContext(t), client.ObjectKeyFromObject(mhc), "the end of the pause", isResumed)
	g.Expect(err).NotTo(HaveOccurred())
	t.Logf("paused for %s", end.At.Sub(pause.At).Round(time.Millisecond))

	leaving, err := harness.Journal.Machine(waitContext(t), machines[0].UID, "the deletion of the old machine", journal.Deleting)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(pause.Before(leaving)).To(BeTrue(), "paused before the machine goes")
	gone, err := harness.Journal.Gone(waitContext(t), machines[0].UID, "the end of the old machine")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(gone.Before(end)).To(BeTrue(), "resumed when it is gone")
	g.Expect(harness.World.ControlPlaneMachines(t.Context(), spec.Key())).To(And(HaveLen(1), HaveEach(HaveField("Spec.Version", newer))))
	g.Expect(everPaused(excepted)).To(BeFalse())
}

func everPaused(mhc *clusterv1.MachineHealthCheck) bool {
	_, found := harness.Journal.Find(func(e journal.Entry) bool {
		m, ok := e.Object.(*clusterv1.MachineHealthCheck)
		return ok && client.ObjectKeyFromObject(m) == client.ObjectKeyFromObject(mhc) && (isPaused(m) || isResumed(m))
	})
	return found
}
