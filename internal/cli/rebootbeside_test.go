package cli

import (
	"testing"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestRebootBesideAnotherCheck: another controller's health check has asked, and nobody has begun. A person takes its place, as by an annotation.
func TestRebootBesideAnotherCheck(t *testing.T) {
	s := newShell(t)
	machine := s.metal("metal-3")
	build.Create(t.Context(), t, s.c, recordstore.New(s.cluster, 1, v1alpha1.MachineRemediationSpec{
		ClusterName: s.cluster.Name,
		MachineRef:  v1alpha1.RemediatedMachineReference{APIGroup: clusterv1.GroupVersion.Group, Name: machine.Name, UID: machine.UID},
		RequestedBy: &v1alpha1.RemediationRequester{Kind: v1alpha1.AskedByHealthCheck, Name: machine.Name, UID: "request"},
		Steps:       []v1alpha1.RemediationStep{{Name: "reboot", Action: v1alpha1.ActionReboot, TimeoutSeconds: new(int32(600))}},
	}))
	got := s.run("reboot", "metal-3", "--yes")
	if n := len(s.askedFor()); n != 2 {
		t.Errorf("there are %d records: %s%s", n, got.stdout, got.stderr)
	}
}

// TestRebootInFilteredCluster: what a person asks for belongs to the manager of the machine's Cluster, as what intake makes. Machines do not have the
// label that their Cluster has; without it, no manager with a filter looks at the record.
func TestRebootInFilteredCluster(t *testing.T) {
	s := newShell(t)
	s.metal("metal-3")
	s.change(s.cluster, func() { s.cluster.Labels = map[string]string{clusterv1.WatchLabel: "us"} })
	s.run("reboot", "metal-3", "--yes")
	if asked := s.askedFor(); len(asked) != 1 || asked[0].Labels[clusterv1.WatchLabel] != "us" {
		t.Errorf("labels of the records: %v", asked[0].Labels)
	}
}
