package mhcspec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

func paused(value string) build.Option { return build.Annotation(clusterv1.PausedAnnotation, value) }

func TestManages(t *testing.T) {
	all, handedOver := Policy{Adopt: AdoptAll}, Policy{Adopt: AdoptHandedOver}
	filtered := Policy{Adopt: AdoptAll, WatchFilter: "us"}
	both := Policy{Adopt: AdoptHandedOver, WatchFilter: "us"}
	us := build.Label(clusterv1.WatchLabel, "us")
	tests := map[string]struct {
		policy Policy
		mhc    *clusterv1.MachineHealthCheck
		want   bool
	}{
		"all":                                   {all, check(), true},
		"the zero value is all":                 {Policy{}, check(), true},
		"all, paused by somebody":               {all, check(paused("")), true},
		"handed-over, handed over":              {handedOver, check(paused("sickbay")), true},
		"handed-over, paused for an upgrade":    {handedOver, check(paused("sickbay"), build.Annotation(UpgradeMarker, "")), true},
		"not handed over, the same":             {handedOver, check(paused("upgrade")), false},
		"handed-over, not handed over":          {handedOver, check(), false},
		"handed-over, paused by somebody":       {handedOver, check(paused("true")), false},
		"handed-over, no value":                 {handedOver, check(paused("")), false},
		"watch filter, its label":               {filtered, check(us), true},
		"watch filter, another label":           {filtered, check(build.Label(clusterv1.WatchLabel, "them")), false},
		"watch filter, no label":                {filtered, check(), false},
		"no watch filter, a label":              {all, check(us), true},
		"watch filter and handed-over":          {both, check(us, paused("sickbay")), true},
		"watch filter and not handed-over":      {both, check(us), false},
		"handed over, but not the watch filter": {both, check(paused("sickbay")), false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tt.policy.Manages(tt.mhc); got != tt.want {
				t.Errorf("Manages is %t, want %t", got, tt.want)
			}
		})
	}
}

// TestDrains: a manager that drains manages and keeps nothing. It hands back what its filter says is its own, even if another manager has taken that over since.
func TestDrains(t *testing.T) {
	us, them := build.Label(clusterv1.WatchLabel, "us"), build.Label(clusterv1.WatchLabel, "them")
	for name, tt := range map[string]struct {
		policy Policy
		mhc    *clusterv1.MachineHealthCheck
		want   bool
	}{
		"all":                          {Policy{Drain: true}, check(), true},
		"not handed over any more":     {Policy{Drain: true, Adopt: AdoptHandedOver}, check(), true},
		"handed over":                  {Policy{Drain: true, Adopt: AdoptHandedOver}, check(paused("sickbay")), true},
		"handed over, paused":          {Policy{Drain: true, Adopt: AdoptHandedOver}, check(paused("maintenance")), true},
		"its filter":                   {Policy{Drain: true, WatchFilter: "us"}, check(us), true},
		"the filter of others":         {Policy{Drain: true, WatchFilter: "us"}, check(them), false},
		"no filter, a label of others": {Policy{Drain: true}, check(them), true},
	} {
		if got := tt.policy.Drains(tt.mhc); got != tt.want {
			t.Errorf("%s: Drains is %t", name, got)
		}
		if tt.policy.Manages(tt.mhc) || tt.policy.Keeps(tt.mhc) {
			t.Errorf("%s: it is managed", name)
		}
	}
	if (Policy{}).Drains(check()) {
		t.Error("without the flag, it drains")
	}
}

func TestPaused(t *testing.T) {
	const byCluster, byAnnotation = "Cluster spec.paused is set to true", "MachineHealthCheck has the cluster.x-k8s.io/paused annotation"
	const byUs = "Paused by Sickbay during an upgrade"
	marker := build.Annotation("machine.openshift.io/paused-for-upgrade", "")
	running, stopped := build.Cluster("ns", "c"), build.Cluster("ns", "c", build.Paused())
	unpaused := build.Cluster("ns", "c", build.ClusterFunc(func(c *clusterv1.Cluster) { c.Spec.Paused = new(false) }))
	tests := map[string]struct {
		mhc     *clusterv1.MachineHealthCheck
		cluster *clusterv1.Cluster
		want    []string
	}{
		"neither":                     {check(), running, nil},
		"Cluster says false":          {check(), unpaused, nil},
		"Cluster":                     {check(), stopped, []string{byCluster}},
		"annotation without a value":  {check(paused("")), running, []string{byAnnotation}},
		"annotation with any value":   {check(paused("false")), running, []string{byAnnotation}},
		"annotation in other letters": {check(paused("Sickbay")), running, []string{byAnnotation}},
		"handed over is not paused":   {check(paused("sickbay")), running, nil},
		"for an upgrade":              {check(paused("upgrade"), marker), running, []string{byUs}},
		"ours, and kept by somebody":  {check(paused("upgrade")), running, []string{byAnnotation}},
		"for an upgrade, handed over": {check(paused("sickbay"), marker), running, []string{byUs}},
		"handed over, Cluster paused": {check(paused("sickbay")), stopped, []string{byCluster}},
		"both":                        {check(paused("")), stopped, []string{byCluster, byAnnotation}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Paused(tt.mhc, tt.cluster)); diff != "" {
				t.Errorf("causes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestIsTarget(t *testing.T) {
	tests := map[string]struct {
		given                   []build.MachineOption
		paused, skipped, target bool
	}{
		"neither":          {nil, false, false, true},
		"paused":           {[]build.MachineOption{paused("")}, true, false, false},
		"handed over":      {[]build.MachineOption{paused("sickbay")}, true, false, false},
		"skip-remediation": {[]build.MachineOption{build.Annotation(clusterv1.MachineSkipRemediationAnnotation, "false")}, false, true, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			m := machine(tt.given...)
			if MachinePaused(m) != tt.paused || RemediationSkipped(m) != tt.skipped || IsTarget(m) != tt.target {
				t.Errorf("paused %t, skipped %t, target %t, want %t, %t, %t",
					MachinePaused(m), RemediationSkipped(m), IsTarget(m), tt.paused, tt.skipped, tt.target)
			}
		})
	}
}
