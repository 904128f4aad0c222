package mhcspec

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

var now = build.Epoch.Add(time.Hour)

func selector(s metav1.LabelSelector) build.MachineHealthCheckFunc {
	return func(mhc *clusterv1.MachineHealthCheck) { mhc.Spec.Selector = s }
}

func expression(key string, operator metav1.LabelSelectorOperator, values ...string) build.MachineHealthCheckFunc {
	return selector(metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: key, Operator: operator, Values: values}}})
}

func TestMatches(t *testing.T) {
	worker := build.Label("role", "worker")
	tests := map[string]struct {
		mhc     *clusterv1.MachineHealthCheck
		machine *clusterv1.Machine
		want    bool
		problem string
	}{
		"label matches":             {check(build.Selector(map[string]string{"role": "worker"})), machine(worker), true, ""},
		"label has another value":   {check(build.Selector(map[string]string{"role": "infra"})), machine(worker), false, ""},
		"label is missing":          {check(build.Selector(map[string]string{"role": "worker"})), machine(), false, ""},
		"all labels must match":     {check(build.Selector(map[string]string{"role": "worker", "zone": "a"})), machine(worker), false, ""},
		"expression matches":        {check(expression("role", metav1.LabelSelectorOpIn, "worker", "infra")), machine(worker), true, ""},
		"expression does not match": {check(expression("role", metav1.LabelSelectorOpDoesNotExist)), machine(worker), false, ""},
		"its own cluster by name":   {check(build.Selector(map[string]string{clusterv1.ClusterNameLabel: build.ClusterName})), machine(), true, ""},
		"the label of the cluster may be missing": {
			check(build.Selector(map[string]string{"role": "worker"})),
			machine(worker, build.MachineFunc(func(m *clusterv1.Machine) { delete(m.Labels, clusterv1.ClusterNameLabel) })), true, "",
		},
		"another cluster":         {check(build.Selector(map[string]string{"role": "worker"})), machine(worker, build.InCluster("other")), false, ""},
		"another namespace":       {check(build.Selector(map[string]string{"role": "worker"})), build.Machine("elsewhere", "m", worker), false, ""},
		"deleted selects nothing": {check(build.Selector(map[string]string{"role": "worker"}), build.Deleting(now)), machine(worker), false, ""},
		"empty selects nothing":   {check(selector(metav1.LabelSelector{})), machine(), false, "spec.selector must not be empty"},
		"a contradictory cluster selects nothing": {
			check(build.Selector(map[string]string{clusterv1.ClusterNameLabel: "other"})), machine(build.Label(clusterv1.ClusterNameLabel, "other")), false,
			`spec.selector names cluster "other", but spec.clusterName is "cluster"`,
		},
		"an unknown operator selects nothing": {check(expression("role", "Near", "worker")), machine(worker), false, "spec.selector cannot be used: "},
		"an unparsable value selects nothing": {check(build.Selector(map[string]string{"role": "not a label"})), machine(worker), false, "spec.selector cannot be used: "},
		"In without values selects nothing":   {check(expression("role", metav1.LabelSelectorOpIn)), machine(worker), false, "spec.selector cannot be used: "},
		"Exists with values selects nothing":  {check(expression("role", metav1.LabelSelectorOpExists, "x")), machine(worker), false, "spec.selector cannot be used: "},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var s Selectors
			if got := s.Matches(tt.mhc, tt.machine); got != tt.want {
				t.Errorf("Matches is %t, want %t", got, tt.want)
			}
			problem := ""
			if err := s.Problem(tt.mhc); err != nil {
				problem = err.Error()
			}
			if !strings.HasPrefix(problem, tt.problem) || (tt.problem == "" && problem != "") {
				t.Errorf("Problem is %q, want %q", problem, tt.problem)
			}
		})
	}
}

// TestSelectorsFollowChanges: selectors follow changes of the spec, although each is
// compiled once.
func TestSelectorsFollowChanges(t *testing.T) {
	var s Selectors
	worker := machine(build.Label("role", "worker"))
	steps := []struct {
		name string
		mhc  *clusterv1.MachineHealthCheck
		want bool
	}{
		{"first", check(build.Selector(map[string]string{"role": "worker"})), true},
		{"another generation", check(build.Selector(map[string]string{"role": "infra"}), build.Generation(2)), false},
		{"another object of that name", check(build.Selector(map[string]string{"role": "worker"}), build.Generation(2), build.UID("new")), true},
	}
	for _, step := range steps {
		if got := s.Matches(step.mhc, worker); got != step.want {
			t.Errorf("%s: Matches is %t, want %t", step.name, got, step.want)
		}
	}
	s.Forget(client.ObjectKeyFromObject(steps[2].mhc))
	if !s.Matches(steps[2].mhc, worker) {
		t.Error("forgotten: Matches is false, want true")
	}
}

func check(opts ...build.MachineHealthCheckOption) *clusterv1.MachineHealthCheck {
	return build.MachineHealthCheck("ns", "mhc", opts...)
}

func machine(opts ...build.MachineOption) *clusterv1.Machine {
	return build.Machine("ns", "m", opts...)
}
