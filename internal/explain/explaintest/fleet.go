package explaintest

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// Merge returns a fleet made of several scenes.
func Merge(scenes ...*Scene) *explain.Facts {
	all := &explain.Facts{Now: Noon, Manager: explain.Manager{Name: "sickbay-0"}}
	for _, s := range scenes {
		f := s.Facts()
		all.Clusters, all.Checks = append(all.Clusters, f.Clusters...), append(all.Checks, f.Checks...)
		all.Machines, all.Records = append(all.Machines, f.Machines...), append(all.Records, f.Records...)
	}
	all.Sort()
	return all
}

// Zone puts a machine into a failure domain.
func Zone(name string) build.MachineOption {
	return build.MachineFunc(func(m *clusterv1.Machine) { m.Spec.FailureDomain = name })
}

// Recover makes a machine healthy for so long.
func (s *Scene) Recover(m *clusterv1.Machine, since time.Duration) {
	m.Status.Conditions[len(m.Status.Conditions)-1] = metav1.Condition{
		Type: verdict.ConditionType, Status: metav1.ConditionTrue, Reason: verdict.ReasonSucceeded, LastTransitionTime: metav1.NewTime(s.Now.Add(-since)),
	}
	s.Node(m.Name, corev1.ConditionTrue, since)
}

// Repairing adds a sick machine whose repair began so long ago, with a plan.
func (s *Scene) Repairing(name string, since time.Duration, plan []v1alpha1.RemediationStep, opts ...build.MachineOption) *clusterv1.Machine {
	m := s.Sick(name, since, opts...)
	s.Play(s.Record(m, plan...), s.Now.Add(-since), s.Now)
	return m
}

// Metalworks returns a bare-metal cluster with machines in the middle of plans: in repair, in probation, awaiting approval, and
// Held.
func Metalworks() *Scene {
	s := In("blue", "metal").Annotated(mhcspec.MaxInFlightAnnotation, "3")
	s.Repairing("metal-1", 41*time.Minute, Metal(), Zone("rack-1"))
	s.Repairing("metal-2", time.Hour, Metal(), Zone("rack-1"))
	s.Repairing("metal-3", 3*time.Hour, Metal()[:2], Zone("rack-2"))
	m := s.Sick("metal-4", time.Hour, Zone("rack-2"))
	r := s.Record(m, Metal()...)
	s.Play(r, s.Now.Add(-time.Hour), s.Now.Add(-50*time.Minute))
	s.Recover(m, 2*time.Minute)
	s.Play(r, s.Now.Add(-2*time.Minute), s.Now)
	s.Healthy("metal-5", Zone("rack-2"))
	return s
}

// Eleven returns a small fleet in which every state occurs.
func Eleven() *explain.Facts {
	green := In("green", "workers").AtMost("30%")
	green.Healthy("md-0-a", Zone("eu-1a"))
	green.Sick("md-0-b", 12*time.Minute, Zone("eu-1b"))
	green.Sick("md-0-c", 11*time.Minute, Zone("eu-1b"))
	green.Node("md-0-d", corev1.ConditionUnknown, 3*time.Minute)
	waits := "Waiting for unhealthyCondition timeout"
	green.Machine("md-0-d", metav1.ConditionUnknown, verdict.ReasonNodeConditionsNotYet, waits, 3*time.Minute, Zone("eu-1a"))
	amber := In("amber", "storage").Annotated(mhcspec.HoldUntilAnnotation, Noon.Add(time.Hour).Format(time.RFC3339))
	amber.Annotated(mhcspec.HoldReasonAnnotation, "the storage is being moved").Sick("storage-0", 20*time.Minute, Zone("eu-1a"))
	violet := In("violet", "edge")
	violet.Cluster.Spec.Paused = new(true)
	violet.Unreadable = "connection to the workload cluster is down"
	violet.Sick("edge-0", 2*time.Hour)
	return Merge(Metalworks(), green, amber, violet)
}

// Many returns a fleet of n machines in clusters of 160, in three failure domains. Every sick-th machine is sick; none if sick
// is 0.
func Many(n, sick int) *explain.Facts {
	const perCluster = 160
	var scenes []*Scene
	for i := range n {
		if i%perCluster == 0 {
			name := fmt.Sprintf("cluster-%02d", i/perCluster)
			scenes = append(scenes, In(name, name+"-workers").AtMost("40%").Annotated(mhcspec.MaxInFlightAnnotation, "5"))
		}
		s, name, zone := scenes[len(scenes)-1], fmt.Sprintf("%s-md-0-%05d", scenes[len(scenes)-1].Cluster.Name, i), Zone("eu-1"+string(rune('a'+i%3)))
		switch {
		case sick > 0 && i%(4*sick) == 3*sick:
			s.Repairing(name, time.Duration(1+i%50)*time.Minute, Metal(), zone)
		case sick > 0 && i%sick == 0:
			s.Sick(name, time.Duration(1+i%50)*time.Minute, zone)
		default:
			s.Healthy(name, zone)
		}
	}
	return Merge(scenes...)
}
