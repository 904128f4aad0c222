package config_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// TestClusterAPIMayReadPlans as it may read the templates of power cycles. Of MachineRemediations, which are Sickbay's
// alone, it may change and delete none.
func TestClusterAPIMayReadPlans(t *testing.T) {
	var role rbacv1.ClusterRole
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(one(t, "install/sickbay.yaml", "ClusterRole", "sickbay-for-cluster-api").Object, &role); err != nil {
		t.Fatal(err)
	}
	on := func(name string) string {
		var verbs []string
		for _, rule := range role.Rules {
			if slices.Contains(rule.APIGroups, "sickbay.dev") && slices.Contains(rule.Resources, name) {
				verbs = append(verbs, rule.Verbs...)
			}
		}
		slices.Sort(verbs)
		return strings.Join(slices.Compact(verbs), ", ")
	}
	if diff := cmp.Diff(on("rebootremediationtemplates"), on("machineremediationtemplates")); diff != "" {
		t.Errorf("templates (-power cycles +plans):\n%s", diff)
	}
	if diff := cmp.Diff("create, get, list, watch", on("machineremediations")); diff != "" {
		t.Errorf("MachineRemediations (-want +got):\n%s", diff)
	}
}
