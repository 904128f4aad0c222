package fleet

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/fakenodes"
)

// looked returns how a look sees the Nodes of machines whose cache has none. The Nodes exist unless gone is set.
func looked(t *testing.T, gone bool, machines ...*clusterv1.Machine) (states []verdict.NodeState, confirmed int) {
	t.Helper()
	nodes, cluster := &fakenodes.Nodes{}, build.Cluster("ns", build.ClusterName)
	nodes.Freeze()
	l := &look{
		Observer: &Observer{Health: &machinehealth.Observer{Nodes: nodes}}, unreadable: map[client.ObjectKey]string{},
		clusters: map[client.ObjectKey]*clusterv1.Cluster{client.ObjectKeyFromObject(cluster): cluster},
	}
	check := &explain.Check{MachineHealthCheck: build.MachineHealthCheck("ns", "mhc")}
	for _, machine := range machines {
		if !gone {
			nodes.Put(mhcspec.ClusterOf(machine), build.Node(machine.Status.NodeRef.Name))
		}
		l.facts.Machines = append(l.facts.Machines, &explain.Machine{Machine: machine, Check: check})
	}
	l.judge(t.Context())
	for _, m := range l.facts.Machines {
		states = append(states, m.Health.Node.State)
	}
	return states, l.confirmed
}

// TestMissingFromTheCache: a look believes that a Node is gone as the manager does, after a live read.
func TestMissingFromTheCache(t *testing.T) {
	sick := build.Condition(verdict.ConditionType, metav1.ConditionFalse, verdict.ReasonNodeNotFound, build.Epoch)
	tests := map[string]struct {
		gone      bool
		options   []build.MachineOption
		want      verdict.NodeState
		confirmed int
	}{
		"the cache lacks it":     {false, nil, verdict.NodeFound, 1},
		"it is gone":             {true, nil, verdict.NodeGone, 1},
		"the verdict says so":    {true, []build.MachineOption{sick}, verdict.NodeGone, 0},
		"the machine is deleted": {true, []build.MachineOption{build.Deleting(build.Epoch)}, verdict.NodeGone, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			states, confirmed := looked(t, tt.gone, build.Machine("ns", "m", append(tt.options, build.NodeRef("n"))...))
			if states[0] != tt.want || confirmed != tt.confirmed {
				t.Errorf("the Node is %v after %d live reads, want %v after %d", states[0], confirmed, tt.want, tt.confirmed)
			}
		})
	}
}

// TestFewLiveReads: a look reads only a few Nodes live, however many are missing.
func TestFewLiveReads(t *testing.T) {
	var machines []*clusterv1.Machine
	for i := range confirmAtMost + 1 {
		machines = append(machines, build.Machine("ns", fmt.Sprint("m", i), build.NodeRef(fmt.Sprint("n", i))))
	}
	if states, confirmed := looked(t, false, machines...); confirmed != confirmAtMost || states[confirmAtMost] != verdict.NodeGone {
		t.Errorf("%d Nodes were read live, and the last is %v", confirmed, states[confirmAtMost])
	}
}
