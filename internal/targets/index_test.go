package targets

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

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
