package machinehealth

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/tools/events"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// TestStormElsewhere: Machines of small clusters do not wait for all that fall sick at once in a large one, even with a single worker. The
// controller gets all of them at the start, in any order.
func TestStormElsewhere(t *testing.T) {
	const storm, small = 60, 5
	g, f := NewWithT(t), newHarness(t)
	ns, sick := f.machine.Namespace, build.Annotation(clusterv1.RemediateMachineAnnotation, "")
	for i := range storm {
		build.Create(t.Context(), t, f.env.Client, build.Machine(ns, fmt.Sprint("m", i), sick))
	}
	for i := range small {
		name := fmt.Sprint("small", i)
		build.Create(t.Context(), t, f.env.Client, build.Cluster(ns, name), build.Machine(ns, name, build.InCluster(name), sick),
			build.MachineHealthCheck(ns, name, build.InCluster(name), build.Selector(map[string]string{clusterv1.ClusterNameLabel: name})))
	}

	r := &Reconciler{Observer: f.Observer, Recorder: events.NewFakeRecorder(2 * storm), Concurrency: 1}
	f.env.Manager(t, env.ManagerOptions{Namespaces: []string{ns}, Setup: func(mgr ctrl.Manager) error {
		if err := mhcspec.AddIndexes(t.Context(), mgr.GetFieldIndexer()); err != nil {
			return err
		}
		return r.AddToManager(mgr)
	}})
	machines := func(g Gomega) []clusterv1.Machine {
		var list clusterv1.MachineList
		g.Expect(f.env.Client.List(t.Context(), &list, client.InNamespace(ns))).To(Succeed())
		return list.Items
	}
	g.Eventually(func(g Gomega) {
		for _, m := range machines(g) {
			g.Expect(meta.FindStatusCondition(m.Status.Conditions, verdict.ConditionType)).NotTo(BeNil(), m.Name)
		}
	}, patience).Should(Succeed())
	// Each was written once, so the order of the resource versions is the order of the verdicts.
	judged, last := machines(g), 0
	slices.SortFunc(judged, func(a, b clusterv1.Machine) int { return cmp.Compare(version(g, &a), version(g, &b)) })
	for i, m := range judged {
		if m.Spec.ClusterName != build.ClusterName {
			last = i
		}
	}
	g.Expect(last).To(BeNumerically("<", 4*small), "the place of the last Machine of a small cluster")
}

func version(g Gomega, obj client.Object) int {
	v, err := strconv.Atoi(obj.GetResourceVersion())
	g.Expect(err).NotTo(HaveOccurred())
	return v
}
