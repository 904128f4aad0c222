package simulate

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestBegins: a new machine begins as the others of its pool did, for as long as they did, and else as those of Cluster API do.
func TestBegins(t *testing.T) {
	starting := build.MachineFunc(func(m *clusterv1.Machine) { m.Status.NodeRef = clusterv1.MachineNodeReference{} })
	const takes = 10 * time.Minute
	for name, tt := range map[string]struct {
		kind, status string
		// machines are the conditions of the machines of the pool.
		machines [][]build.MachineOption
		want     []begin
	}{
		"nobody shows how long":             {"InfrastructureReady", "False", [][]build.MachineOption{{}}, []begin{{lasts: takes}}},
		"the shortest of the others":        {"InfrastructureReady", "False", [][]build.MachineOption{{became("InfrastructureReady", "True", 4*time.Minute)}, {became("InfrastructureReady", "True", 3*time.Minute)}}, []begin{{lasts: 3 * time.Minute, measured: true}}},
		"one that has changed much later":   {"InfrastructureReady", "False", [][]build.MachineOption{{became("InfrastructureReady", "True", 5*time.Hour)}}, []begin{{lasts: takes}}},
		"one that is older than its object": {"InfrastructureReady", "False", [][]build.MachineOption{{became("InfrastructureReady", "True", -time.Hour)}}, []begin{{lasts: takes}}},
		"all had it before they were moved": {"Paused", "False", [][]build.MachineOption{{became("Paused", "False", -time.Hour)}}, nil},
		"one was ready at once":             {"BootstrapConfigReady", "False", [][]build.MachineOption{{became("BootstrapConfigReady", "True", 0)}}, nil},
		"its own status at first":           {"NodeHealthy", "Unknown", [][]build.MachineOption{{}}, []begin{{lasts: takes}}},
		"another status at first":           {"NodeHealthy", "False", [][]build.MachineOption{{}}, nil},
		"one that starts has it":            {"NodeHealthy", "False", [][]build.MachineOption{{}, {starting, became("NodeHealthy", "False", time.Second)}}, []begin{{lasts: takes}}},
		"one that is starting, of others":   {"Licensed", "False", [][]build.MachineOption{{starting, became("Licensed", "False", time.Second)}, {became("Licensed", "True", time.Minute)}}, []begin{{lasts: time.Minute, measured: true}}},
		"all have it":                       {"Paused", "False", [][]build.MachineOption{{became("Paused", "False", 0)}, {became("Paused", "False", time.Second)}}, []begin{{}}},
		"all but one":                       {"Paused", "False", [][]build.MachineOption{{became("Paused", "False", 0)}, {}}, nil},
		"all have it by now":                {"Full", "True", [][]build.MachineOption{{became("Full", "True", 5*time.Hour)}}, nil},
		"nobody has it":                     {"Full", "True", [][]build.MachineOption{{}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFleet().machineCondition(tt.kind, tt.status, 0)
			for i, opts := range tt.machines {
				f.machine("m"+string(rune('0'+i)), "True", time.Hour, opts...)
			}
			rules := mhcspec.RulesOf(f.Check)
			for i := range tt.want {
				tt.want[i].rule = rules.MachineConditions[0]
			}
			got, _ := (&pool{machines: f.facts().Machines}).begins(rules, takes)
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(begin{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestControlPlanesBegin: only a new machine of a control plane begins with the conditions of KubeadmControlPlane.
func TestControlPlanesBegin(t *testing.T) {
	rules := mhcspec.RulesOf(newFleet().machineCondition("EtcdPodHealthy", "Unknown", 60).Check)
	for owner, want := range map[string]int{"KubeadmControlPlane blue": 1, "MachineSet blue-md-0": 0} {
		if got, _ := (&pool{owner: owner}).begins(rules, time.Minute); len(got) != want {
			t.Errorf("a machine of %s begins with %v, want %d conditions", owner, got, want)
		}
	}
}

// TestNodesBeginAsTheOthers: what all Nodes of a pool have from the start, no action heals.
func TestNodesBeginAsTheOthers(t *testing.T) {
	for after, want := range map[time.Duration]int{time.Minute: 0, 5 * time.Hour: 2} {
		f := newFleet()
		f.Check.Spec.Checks.UnhealthyNodeConditions = append(f.Check.Spec.Checks.UnhealthyNodeConditions, clusterv1.UnhealthyNodeCondition{
			Type: corev1.NodeDiskPressure, Status: corev1.ConditionFalse, TimeoutSeconds: new(int32(60)),
		})
		for _, name := range []string{"a", "b"} {
			f.machine(name, "True", time.Hour)
			f.Nodes[name].CreationTimestamp = metav1.NewTime(noon.Add(-24 * time.Hour))
			f.Nodes[name].Status.Conditions = append(f.Nodes[name].Status.Conditions, corev1.NodeCondition{
				Type: corev1.NodeDiskPressure, Status: corev1.ConditionFalse, LastTransitionTime: metav1.NewTime(noon.Add(after - 24*time.Hour)),
			})
		}
		r := f.played(t)
		if r.Summary.Replaced != want || r.Summary.Sick != 2 {
			t.Errorf("with a condition since %s, %s", after, r.Answer())
		}
	}
}
