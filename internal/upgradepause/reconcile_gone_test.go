package upgradepause

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// unreadableCluster stores a Cluster with an invalid option, with its MachineHealthCheck, and returns a function that deletes the
// Cluster.
func (f *harness) unreadableCluster() (check *metav1.PartialObjectMetadata, deleted func()) {
	f.t.Helper()
	nothing := func(context.Context, client.Object) error { return nil }
	f.Signals = []Signal{clusterAPI{reader: f.env.Client, rollouts: unindexed{f.env.Client}, mapper: f.env.Client.RESTMapper(), open: nothing}}
	cluster := build.Cluster(f.ns, build.ClusterName, build.Annotation(pause.OptionAnnotation, "nonsense"))
	build.Create(f.t.Context(), f.t, f.env.Client, cluster)
	check = f.check("mhc", nil)
	f.change(check, func(m *metav1.PartialObjectMetadata) {
		m.Labels = map[string]string{clusterv1.ClusterNameLabel: build.ClusterName}
	})
	return check, func() {
		f.t.Helper()
		if err := f.env.Client.Delete(f.t.Context(), cluster); err != nil {
			f.t.Fatal(err)
		}
		f.forgetDeleted(func(c client.Object) *corev1.ObjectReference { return clusterReference(client.ObjectKeyFromObject(c)) }).
			Delete(event.DeleteEvent{Object: cluster})
	}
}

// TestNobodySaysThatAClusterWhichIsGoneCanBeReadAgain: no event says that a deleted Cluster can be read again.
func TestNobodySaysThatAClusterWhichIsGoneCanBeReadAgain(t *testing.T) {
	t.Parallel()
	f := newHarness(t, ClusterAPIKind)
	check, deleted := f.unreadableCluster()
	f.reconcile(check)
	f.reconcile(check)
	f.wantEvents(unreadableEvent)
	deleted()
	f.reconcile(check)
	f.wantEvents()
}
