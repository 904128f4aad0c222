package config_test

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

//go:generate go test -run ^TestReference . -update

// TestReferencePermissions renders the generated roles side by side.
func TestReferencePermissions(t *testing.T) {
	roles := []string{"manager", "machinehealth", "machinehealthcheck", "remediation", "upgradepause", "reboot", "intake", "dashboard"}
	table := [][]string{append([]string{"group", "resource"}, coded(roles)...)}
	of, all := map[string]map[resource]string{}, map[resource]bool{}
	for _, name := range roles {
		of[name] = verbsOf(t, read(t, "rbac/"+name+".yaml")...)
		for on := range of[name] {
			all[on] = true
		}
	}
	for _, on := range slices.SortedFunc(maps.Keys(all), inOrder) {
		name := docs.Code(on.resource)
		if on.namespace != "" {
			name += " in " + docs.Code(on.namespace)
		}
		row := []string{docs.Code(on.group), name}
		for _, role := range roles {
			row = append(row, of[role][on])
		}
		table = append(table, row)
	}
	docs.Section(t, "../docs/reference.md", "permissions", docs.Table(table...))
}

func coded(names []string) []string {
	var all []string
	for _, name := range names {
		all = append(all, docs.Code(name))
	}
	return all
}

// TestReferenceOtherPermissions renders the roles that are apart: for Nodes of the management cluster, and for Cluster API's own health check
// controller.
func TestReferenceOtherPermissions(t *testing.T) {
	table := [][]string{{"role", "group", "resource", "may"}}
	for _, role := range []string{"sickbay-manager-reboot-openshift", "sickbay-manager-upgradepause-openshift", "sickbay-for-cluster-api"} {
		verbs := verbsOf(t, one(t, "install/openshift.yaml", "ClusterRole", role))
		for _, on := range slices.SortedFunc(maps.Keys(verbs), inOrder) {
			table = append(table, []string{docs.Code(role), docs.Code(on.group), docs.Code(on.resource), verbs[on]})
		}
	}
	docs.Section(t, "../docs/reference.md", "other permissions", docs.Table(table...))
}

func inOrder(a, b resource) int {
	return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.resource, b.resource), cmp.Compare(a.namespace, b.namespace))
}

// verbsOf returns what some roles allow. Those for OpenShift are left out, which are apart.
func verbsOf(t *testing.T, roles ...*unstructured.Unstructured) map[resource]string {
	t.Helper()
	verbs := map[resource][]string{}
	for _, obj := range roles {
		if obj.GetName() == "openshift" {
			continue
		}
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
