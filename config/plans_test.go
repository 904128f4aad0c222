package config_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestClusterAPIMayReadPlans as it may read the templates of power cycles. Of MachineRemediations, which are Sickbay's
// alone, it may change and delete none.
func TestClusterAPIMayReadPlans(t *testing.T) {
	verbs := verbsOf(t, one(t, "install/sickbay.yaml", "ClusterRole", "sickbay-for-cluster-api"))
	on := func(name string) string { return verbs[resource{group: "sickbay.dev", resource: name}] }
	if diff := cmp.Diff(on("rebootremediationtemplates"), on("machineremediationtemplates")); diff != "" {
		t.Errorf("templates (-power cycles +plans):\n%s", diff)
	}
	if diff := cmp.Diff("create, get, list, watch", on("machineremediations")); diff != "" {
		t.Errorf("MachineRemediations (-want +got):\n%s", diff)
	}
}
