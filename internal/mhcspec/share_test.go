package mhcspec_test

import (
	"strings"
	"testing"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestShare: who judges a machine that several MachineHealthChecks select, the oldest first. One that is neither handed over nor paused is Cluster
// API's, and has the machine to itself. Of two managers with different labels, one has it.
func TestShare(t *testing.T) {
	handedOver, paused := build.Annotation(clusterv1.PausedAnnotation, mhcspec.HandedOverValue), build.Annotation(clusterv1.PausedAnnotation, "")
	us, them := build.Label(clusterv1.WatchLabel, "us"), build.Label(clusterv1.WatchLabel, "them")
	beside := mhcspec.Policy{Adopt: mhcspec.AdoptHandedOver}
	for name, tt := range map[string]struct {
		policy         mhcspec.Policy
		older, younger []build.MachineHealthCheckOption
		want           string
	}{
		"all are ours":                        {mhcspec.Policy{}, nil, nil, "a b"},
		"both are handed over":                {beside, opts(handedOver), opts(handedOver), "a b"},
		"the older one is not":                {beside, nil, opts(handedOver), "not ours: a"},
		"the younger one is not":              {beside, opts(handedOver), nil, "not ours: b"},
		"one is paused for everybody":         {beside, opts(handedOver), opts(paused), "a b"},
		"neither is handed over":              {beside, nil, nil, "not ours: a"},
		"another manager's is younger":        {mhcspec.Policy{WatchFilter: "us"}, opts(us), opts(them), "a"},
		"another manager's is older":          {mhcspec.Policy{WatchFilter: "us"}, opts(them), opts(us), "not ours: a"},
		"beside, another manager's":           {mhcspec.Policy{Adopt: mhcspec.AdoptHandedOver, WatchFilter: "us"}, opts(us, handedOver), opts(them, handedOver), "a"},
		"beside, another controller's filter": {mhcspec.Policy{Adopt: mhcspec.AdoptHandedOver, WatchFilter: "us"}, opts(us, handedOver), opts(them), "not ours: b"},
	} {
		t.Run(name, func(t *testing.T) {
			older, younger := build.MachineHealthCheck("ns", "a", tt.older...), build.MachineHealthCheck("ns", "b", tt.younger...)
			older.CreationTimestamp.Time, younger.CreationTimestamp.Time = build.Epoch, build.Epoch.Add(time.Hour)
			machine := build.Machine("ns", "m")
			var selectors mhcspec.Selectors
			ours, stranger := tt.policy.Share(selectors.Selecting(machine, []*clusterv1.MachineHealthCheck{younger, older}))
			var names []string
			for _, mhc := range ours {
				names = append(names, mhc.Name)
			}
			got := strings.Join(names, " ")
			if stranger != nil {
				got = "not ours: " + stranger.Name
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func opts(all ...build.MachineHealthCheckOption) []build.MachineHealthCheckOption { return all }
