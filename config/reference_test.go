package config_test

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

//go:generate go test -run ^TestReference . -update

// TestReferencePermissions renders the generated roles side by side.
func TestReferencePermissions(t *testing.T) {
	everything, alone := verbsOf(t, "rbac/role.yaml"), verbsOf(t, "upgradepause/rbac/role.yaml")
	for on := range alone {
		if _, ok := everything[on]; !ok {
			t.Errorf("upgradepause alone may do more with %+v than all controllers", on)
		}
	}
	table := [][]string{{"group", "resource", "all controllers", "`upgradepause` alone"}}
	for _, on := range slices.SortedFunc(maps.Keys(everything), inOrder) {
		name := docs.Code(on.resource)
		if on.namespace != "" {
			name += " in " + docs.Code(on.namespace)
		}
		table = append(table, []string{docs.Code(on.group), name, everything[on], alone[on]})
	}
	docs.Section(t, "../docs/reference.md", "permissions", docs.Table(table...))
}

// TestReferenceOtherPermissions renders the roles that are apart: for Nodes of the management cluster, to change them or to see whether they are Ready, and for Cluster API's own
// health check controller.
func TestReferenceOtherPermissions(t *testing.T) {
	table := [][]string{{"role", "group", "resource", "may"}}
	for _, role := range []struct{ name, file string }{
		{"sickbay-nodes", "openshift/nodes.yaml"}, {"sickbay-nodes-ready", "openshift/ready.yaml"},
		{"sickbay-upgradepause-nodes", "upgradepause/rbac/nodes.yaml"}, {"sickbay-reboot-for-cluster-api", "rbac/cluster_api.yaml"},
	} {
		verbs := verbsOf(t, role.file)
		for _, on := range slices.SortedFunc(maps.Keys(verbs), inOrder) {
			table = append(table, []string{docs.Code(role.name), docs.Code(on.group), docs.Code(on.resource), verbs[on]})
		}
	}
	docs.Section(t, "../docs/reference.md", "other permissions", docs.Table(table...))
}

func inOrder(a, b resource) int {
	return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.resource, b.resource), cmp.Compare(a.namespace, b.namespace))
}

// verbsOf returns what the roles in a file allow.
func verbsOf(t *testing.T, file string) map[resource]string {
	t.Helper()
	verbs := map[resource][]string{}
	for _, obj := range read(t, file) {
		var role rbacv1.ClusterRole // a Role has the same fields
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(obj.Object, &role); err != nil {
			t.Fatal(err)
		}
		for _, rule := range role.Rules {
			for _, group := range rule.APIGroups {
				for _, name := range rule.Resources {
					on := resource{group: group, resource: name, namespace: role.Namespace}
					verbs[on] = append(verbs[on], rule.Verbs...)
				}
			}
		}
	}
	joined := map[resource]string{}
	for on, all := range verbs {
		slices.Sort(all)
		joined[on] = strings.Join(slices.Compact(all), ", ")
	}
	return joined
}
