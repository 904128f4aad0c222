package mhcspec

import (
	"context"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

func TestIndexes(t *testing.T) {
	unlabelled := build.MachineFunc(func(m *clusterv1.Machine) { m.Labels = nil })
	annotated := func(key string) build.Option { return build.Annotation(key, "") }
	tests := map[string]struct {
		field string
		given client.Object
		want  []string
	}{
		"Machine by cluster":                 {byCluster, machine(build.InCluster("c")), []string{"c"}},
		"Machine by cluster, no label":       {byCluster, machine(build.InCluster("c"), unlabelled), []string{"c"}},
		"Machine by Node":                    {byNode, machine(build.InCluster("c"), build.NodeRef("n")), []string{"c/n"}},
		"Machine by Node, without one":       {byNode, machine(), nil},
		"MachineHealthCheck by cluster":      {byCluster, check(build.InCluster("c")), []string{"c"}},
		"two clusters, Nodes of one name":    {byNode, machine(build.InCluster("d"), build.NodeRef("n")), []string{"d/n"}},
		"a Node named like another cluster":  {byNode, machine(build.InCluster("c"), build.NodeRef("d.n")), []string{"c/d.n"}},
		"a Machine that stays":               {inDeletion, machine(), nil},
		"a Machine that is being deleted":    {inDeletion, machine(build.Deleting(build.Epoch)), []string{deleting}},
		"a Machine that nobody leaves alone": {leftAlone, machine(), nil},
		"a Machine on hold, paused and excepted": {
			leftAlone, machine(annotated(HoldUntilAnnotation), annotated(clusterv1.PausedAnnotation), annotated(clusterv1.MachineSkipRemediationAnnotation)),
			[]string{leftByHold, leftByPause, leftBySkip},
		},
		"a MachineHealthCheck on hold": {leftAlone, check(annotated(HoldUntilAnnotation)), []string{leftByHold}},
		"a Cluster on hold":            {leftAlone, build.Cluster("ns", "c", annotated(HoldUntilAnnotation)), []string{leftByHold}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for _, index := range Indexes() {
				if index.Field != tt.field || reflect.TypeOf(index.Object) != reflect.TypeOf(tt.given) {
					continue
				}
				if diff := cmp.Diff(tt.want, index.Extract(tt.given)); diff != "" {
					t.Errorf("values (-want +got):\n%s", diff)
				}
				return
			}
			t.Errorf("there is no index %s of %T", tt.field, tt.given)
		})
	}
}

// TestLiveMachinesOf: the API server is asked for the Machines of one cluster, not for all of a
// namespace.
func TestLiveMachinesOf(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := clusterv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	stored := fake.NewClientBuilder().WithScheme(scheme).WithObjects(machine(), build.Machine("ns", "other", build.InCluster("other"))).Build()
	sent := 0
	live := interceptor.NewClient(stored, interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			err := c.List(ctx, list, opts...)
			sent += meta.LenList(list)
			return err
		},
	})
	machines, err := LiveMachinesOf(t.Context(), live, ClusterOf(machine()))
	if err != nil || len(machines) != 1 || machines[0].Name != machine().Name || sent != 1 {
		t.Errorf("got %d machines of %d that were sent, and error %v; want one alone", len(machines), sent, err)
	}
}
