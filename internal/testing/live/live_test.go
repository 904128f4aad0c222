package live_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/live"
)

func TestMain(m *testing.M) { env.Main(m) }

func TestClient(t *testing.T) {
	e := env.Get(t)
	ns, c := e.Namespace(t), live.Client(e.Client)
	build.Create(t.Context(), t, e.Client,
		build.Machine(ns, "a", build.NodeRef("n")),
		build.Machine(ns, "b"),
		build.Machine(ns, "c", build.InCluster("other"), build.NodeRef("n")),
		build.Machine(e.Namespace(t), "d", build.NodeRef("n")),
		build.MachineHealthCheck(ns, "mhc"))

	cluster := client.ObjectKey{Namespace: ns, Name: build.ClusterName}
	ofCluster, err := mhcspec.MachinesOf(t.Context(), c, cluster)
	if err != nil {
		t.Fatal(err)
	}
	ofNode, err := mhcspec.MachinesOfNode(t.Context(), c, cluster, "n")
	if err != nil {
		t.Fatal(err)
	}
	mhcs, err := mhcspec.MachineHealthChecksOf(t.Context(), c, cluster)
	if err != nil {
		t.Fatal(err)
	}
	got := [][]string{names(ofCluster), names(ofNode), {mhcs[0].Name}}
	if diff := cmp.Diff([][]string{{"a", "b"}, {"a"}, {"mhc"}}, got); diff != "" {
		t.Errorf("machines of the cluster, machines of the Node, health checks (-want +got):\n%s", diff)
	}
}

func names(machines []*clusterv1.Machine) []string {
	var list []string
	for i := range machines {
		list = append(list, machines[i].Name)
	}
	return list
}
