package cachelist_test

import (
	"cmp"
	"context"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/cachelist"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/cached"
)

const byCluster = "cluster"

func index(ctx context.Context, indexer client.FieldIndexer) error {
	return indexer.IndexField(ctx, &clusterv1.Machine{}, byCluster, func(obj client.Object) []string {
		return []string{obj.(*clusterv1.Machine).Spec.ClusterName}
	})
}

func list(tb testing.TB, reader client.Reader, namespace, cluster string) []*clusterv1.Machine {
	tb.Helper()
	all, err := cachelist.List[*clusterv1.Machine](tb.Context(), reader, &clusterv1.MachineList{}, namespace, byCluster, cluster)
	if err != nil {
		tb.Fatal(err)
	}
	slices.SortFunc(all, func(a, b *clusterv1.Machine) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// plain hides the informers of a client.
type plain struct{ client.Client }

// TestList: with and without the informers it lists the same; with them, each list has the same objects.
func TestList(t *testing.T) {
	all := cached.New(t, nil, index,
		build.Machine("ns", "a"), build.Machine("ns", "b"), build.Machine("other", "c"), build.Machine("ns", "d", build.InCluster("two")))
	for _, tt := range []struct {
		namespace, cluster string
		want               int
	}{{"ns", build.ClusterName, 2}, {"", build.ClusterName, 3}, {"ns", "two", 1}, {"ns", "none", 0}, {"nowhere", "two", 0}} {
		got := list(t, all, tt.namespace, tt.cluster)
		if diff := gocmp.Diff(list(t, plain{all}, tt.namespace, tt.cluster), got); diff != "" || len(got) != tt.want {
			t.Errorf("cluster %q in namespace %q: %d machines; without the informers (-) and with them (+):\n%s", tt.cluster, tt.namespace, len(got), diff)
		}
		if again := list(t, all, tt.namespace, tt.cluster); !slices.Equal(again, got) {
			t.Errorf("cluster %q in namespace %q: the objects are copies", tt.cluster, tt.namespace)
		}
	}
}

// TestOtherIndex: what no index of the cache answers is an error, as it is without the informers.
func TestOtherIndex(t *testing.T) {
	all := cached.New(t, nil, index, build.Machine("ns", "a"))
	if _, err := cachelist.List[*clusterv1.Machine](t.Context(), all, &clusterv1.MachineList{}, "ns", "other", "x"); err == nil {
		t.Error("an index that does not exist has an answer")
	}
}
