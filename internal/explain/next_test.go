package explain_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/explain/explaintest"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// inLine returns a scene in which a record waits for a slot, and one is free.
func inLine() *explaintest.Scene {
	s := explaintest.New().Annotated(mhcspec.MaxInFlightAnnotation, "1")
	r := s.Record(s.Sick("m1", 10*time.Minute), explaintest.Metal()[1:]...)
	r.Spec.Grant = 0
	for range 3 {
		r.Status = ladder.Decide(ladder.Facts{Record: r, Machine: ladder.Machine{Health: ladder.Sick}}, s.Now.Add(-time.Minute)).Status
	}
	return s
}

// proving returns a scene in which a machine was replaced and its successor must prove itself healthy.
func proving() *explaintest.Scene {
	s := explaintest.New()
	m := s.Sick("m1", 10*time.Minute)
	r := s.Record(m, explaintest.Metal()[2:]...)
	r.Spec.Steps[0].Approval = ""
	s.Play(r, s.Now.Add(-10*time.Minute), s.Now)
	s.Machines = nil
	return s
}

// TestDetectorsThatAreHeardStayHeard: a look ahead does not take the time until the next heartbeat for silence.
func TestDetectorsThatAreHeardStayHeard(t *testing.T) {
	s := explaintest.New().Annotated(mhcspec.SignalsAnnotation, "GpuHealthy: {silentAfter: 15m}")
	build.UnhealthyNodeCondition("GpuHealthy", corev1.ConditionFalse, time.Hour)(s.Check)
	s.Node("m1", corev1.ConditionTrue, time.Hour)
	at := metav1.NewTime(s.Now.Add(-10 * time.Minute))
	node := s.Nodes["m1"]
	node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{Type: "GpuHealthy", Status: corev1.ConditionFalse, LastHeartbeatTime: at, LastTransitionTime: at})
	s.Machine("m1", metav1.ConditionUnknown, verdict.ReasonNodeConditionsNotYet, "Waiting for unhealthyCondition timeout", 10*time.Minute)
	next := s.Facts().Next()
	if len(next) == 0 || !next[0].At.Equal(s.Now.Add(50*time.Minute)) || next[0].What != "is sick: Node condition GpuHealthy is False for more than 1h0m0s" {
		t.Errorf("next is %+v", next)
	}
}

// TestPagesTellWhatTheFleetTells: what happens next is the same on the pages of the fleet, of a cluster, of a machine and of its repair.
func TestPagesTellWhatTheFleetTells(t *testing.T) {
	all := map[string]*explain.Facts{"in line": inLine().Facts(), "proving": proving().Facts(), "eleven": explaintest.Eleven()}
	for _, one := range scenes {
		s := explaintest.New()
		one.build(s)
		all[one.name] = s.Facts()
	}
	for name, f := range all {
		next := f.Next()
		for i := range f.Clusters {
			of := f.Clusters[i].Cluster.Name
			want := slices.DeleteFunc(slices.Clone(next), func(u explain.Upcoming) bool { return u.Cluster != of })
			if diff := cmp.Diff(want, f.ClusterPage(&f.Clusters[i]).Next, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s: cluster %s (-fleet +page):\n%s", name, of, diff)
			}
		}
		for _, m := range f.Machines {
			want := slices.DeleteFunc(slices.Clone(next), func(u explain.Upcoming) bool { return u.Name != m.Machine.Name })
			if diff := cmp.Diff(want, f.Page(m).Next, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s: machine %s (-fleet +page):\n%s", name, m.Machine.Name, diff)
			}
			if m.Record == nil {
				continue
			}
			if diff := cmp.Diff(want, f.RecordPage(m.Record).Next, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s: record %s (-fleet +page):\n%s", name, m.Record.Record.Name, diff)
			}
		}
	}
}

// TestHoldOnClusterEndsOnce: on the page of a Cluster, although several MachineHealthChecks wait for it. One with a longer hold has its own line.
func TestHoldOnClusterEndsOnce(t *testing.T) {
	s := explaintest.New()
	until := func(hours time.Duration) map[string]string {
		return map[string]string{mhcspec.HoldUntilAnnotation: s.Now.Add(hours * time.Hour).Format(time.RFC3339)}
	}
	s.Cluster.Annotations = until(1)
	f := s.Facts()
	other := *f.Checks[0]
	other.MachineHealthCheck = other.MachineHealthCheck.DeepCopy()
	other.MachineHealthCheck.Name = "others"
	longer := other
	longer.MachineHealthCheck = other.MachineHealthCheck.DeepCopy()
	longer.MachineHealthCheck.Name, longer.MachineHealthCheck.Annotations = "longer", until(2)
	f.Checks = append(f.Checks, &other, &longer)
	p := f.ClusterPage(&f.Clusters[0])
	if got, want := p.Rows[rowOf(p, "Next")].Text, "13:00:00 UTC: the hold ends; 14:00:00 UTC: longer: the hold ends"; got != want {
		t.Errorf("the page says %q, want %q", got, want)
	}
	p = f.CheckPage(&other)
	if got, want := p.Rows[rowOf(p, "Next")].Text, "13:00:00 UTC: the hold on its Cluster ends"; got != want {
		t.Errorf("the page of the health check says %q, want %q", got, want)
	}
}

// TestJustMade: a record that was not reconciled yet has a headline.
func TestJustMade(t *testing.T) {
	s := explaintest.New()
	s.Record(s.Sick("m1", 0), explaintest.Metal()...)
	f := s.Facts()
	if got := f.RecordPage(f.Records[0]).Headline; got != "Just created" {
		t.Errorf("it is %q", got)
	}
}
