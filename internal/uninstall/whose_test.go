package uninstall

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/lease/scope"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
)

// TestWaitsOnlyForWhoTakesItBack: a manager of another watch filter, or without the controllers that take something back, is nobody to wait for.
func TestWaitsOnlyForWhoTakesItBack(t *testing.T) {
	record := object(records, nil, nil, "", "")
	record.SetLabels(map[string]string{"cluster.x-k8s.io/watch-filter": "blue-team"})
	left := []Item{{Object: record, Ours: []string{"it is not over"}}}
	for name, of := range map[string]scope.Scope{
		"another watch filter": {Drain: true, WatchFilter: "green-team", Controllers: []string{"machinehealth", "machinehealthcheck", "remediation", "reboot", "upgradepause", "intake"}},
		"only one controller":  {Drain: true, Controllers: []string{"upgradepause"}},
	} {
		if got := (Seen{Items: left, Leaders: []Leader{{"pod-0", of}}}).Waits(); strings.HasPrefix(got, "Waiting for pod-0") {
			t.Errorf("%s: %q, but pod-0 never takes it back", name, got)
		}
	}
}

// TestWhoIsMissing: the sentence names the manager that is missing for what is left, and nobody is missing if managers share the work.
func TestWhoIsMissing(t *testing.T) {
	labelled := func(obj *unstructured.Unstructured, label string) *unstructured.Unstructured {
		obj.SetLabels(map[string]string{"cluster.x-k8s.io/watch-filter": label})
		return obj
	}
	askedFor := object(records, nil, nil, "", "")
	askedFor.Object["spec"] = map[string]any{"requestedBy": map[string]any{"kind": "Annotation"}}
	const condition = `{"f:status":{"f:conditions":{"k:{\"type\":\"Ready\"}":{}}}}`
	machine := object(kinds[1], nil, nil, "sickbay-machinehealth", condition)
	check := object(kinds[3], nil, nil, "sickbay-machinehealthcheck-metadata", `{"f:metadata":{"f:labels":{"f:a":{}}}}`)
	pauses := object(kinds[3], nil, nil, "sickbay-upgradepause", `{"f:metadata":{"f:annotations":{"f:a":{}}}}`)
	adopted := object(kinds[3], nil, nil, "sickbay-adoption", `{"f:metadata":{"f:annotations":{"f:cluster.x-k8s.io/paused":{}}}}`)
	record, cycle := object(records, nil, nil, "", ""), object(cycles, nil, nil, "", "")
	const waiting = "Waiting for "
	for name, tt := range map[string]struct {
		left    *unstructured.Unstructured
		leaders []scope.Scope
		want    string
	}{
		"its own filter":           {labelled(record.DeepCopy(), "blue"), []scope.Scope{{WatchFilter: "blue"}}, waiting},
		"another filter":           {labelled(record.DeepCopy(), "blue"), []scope.Scope{{WatchFilter: "green"}}, "No manager that drains takes back MachineRemediation blue/it. Start one with the controller remediation and --watch-filter=blue, or none"},
		"no filter":                {labelled(cycle.DeepCopy(), "blue"), []scope.Scope{{}}, waiting},
		"no label":                 {record, []scope.Scope{{WatchFilter: "green"}}, waiting},
		"no label, asked for":      {askedFor, []scope.Scope{{WatchFilter: "green"}}, "No manager that drains takes back MachineRemediation blue/it. Start one with the controller remediation and without --watch-filter"},
		"a check without label":    {check, []scope.Scope{{WatchFilter: "green"}}, "No manager that drains takes back MachineHealthCheck blue/it. Start one with the controller machinehealthcheck and without --watch-filter"},
		"a pause without label":    {pauses, []scope.Scope{{WatchFilter: "green"}}, waiting},
		"handed over by a label":   {adopted, []scope.Scope{{Controllers: []string{"machinehealthcheck"}}}, waiting},
		"by one of a namespace":    {object(kinds[3], nil, nil, "sickbay-adoption-by-namespace", `{"f:metadata":{"f:annotations":{"f:cluster.x-k8s.io/paused":{}}}}`), []scope.Scope{{Controllers: []string{"machinehealthcheck"}}}, waiting},
		"and another filter":       {labelled(adopted.DeepCopy(), "blue"), []scope.Scope{{WatchFilter: "green"}}, "No manager that drains takes back MachineHealthCheck blue/it. Start one with the controller machinehealthcheck and --watch-filter=blue, or none"},
		"a Machine has no label":   {machine, []scope.Scope{{WatchFilter: "green", Controllers: []string{"machinehealth"}}}, waiting},
		"another controller":       {machine, []scope.Scope{{Controllers: []string{"remediation"}}}, "No manager that drains takes back Machine blue/it. Start one with the controller machinehealth"},
		"two that share it":        {cycle, []scope.Scope{{Controllers: []string{"remediation"}}, {Controllers: []string{"reboot"}}}, waiting},
		"two, each with one half":  {labelled(cycle.DeepCopy(), "blue"), []scope.Scope{{WatchFilter: "blue", Controllers: []string{"remediation"}}, {WatchFilter: "green", Controllers: []string{"reboot"}}}, "No manager that drains takes back RebootRemediation blue/it. Start one with the controller reboot and --watch-filter=blue, or none"},
		"the right one, elsewhere": {cycle, []scope.Scope{{Namespace: "green"}, {Controllers: []string{"remediation"}}}, "No manager that drains takes back RebootRemediation blue/it. Start one with the controller reboot and without --watch-filter"},
	} {
		seen := Seen{Items: []Item{{Object: tt.left, Ours: []string{"x"}}}}
		for _, of := range tt.leaders {
			of.Drain = true
			seen.Leaders = append(seen.Leaders, Leader{"pod-0", of})
		}
		got := seen.Waits()
		if strings.HasPrefix(got, waiting) {
			got = waiting
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// TestNodeThatNeverComesIsGivenUp: docs/operations/upgrade.md promises that after the time that a boot may take, Sickbay gives a Node up that a power
// cycle had deleted. The cycle has failed before the drain (its host is dead), and its record has ended, so nobody deletes the cycle.
func TestNodeThatNeverComesIsGivenUp(t *testing.T) {
	ended := metav1.NewTime(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	f := cycle.Facts{
		UID: "r-1", Drains: true, NodeFinalizer: true, Machine: cycle.MachineFacts{UID: "m-1", Node: "n1"},
		Spec: v1alpha1.RebootRemediationSpec{RequestedBy: &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByRecord, Name: "r", UID: "u-1", OperationID: "u-1/1"}},
		Host: cycle.HostFacts{Name: "h1", UID: "h-1", Ours: true, Fenceable: true, Online: true},
		Node: cycle.NodeFacts{State: cycle.NodeGone},
		Status: v1alpha1.RebootRemediationStatus{
			Phase: v1alpha1.Failed, Outcome: v1alpha1.ReasonPowerOnTimedOut, FinishedAt: &ended, MachineUID: "m-1",
			Host: &v1alpha1.HostIdentity{Name: "h1", UID: "h-1"},
			Node: &v1alpha1.NodeRecord{Name: "n1", UID: "node-1", OutOfService: true},
		},
	}
	d := cycle.Decide(f, ended.Add(365*24*time.Hour))
	if d.Action == cycle.RemoveNodeFinalizer {
		return
	}
	left := ours(object(cycles, nil, []string{cycle.NodeFinalizer}, "sickbay-reboot", "{}"))
	t.Errorf("after a year: action %q, look again at %v; sickbay uninstall waits for it: %q", d.Action, d.RecheckAt, left)
}
