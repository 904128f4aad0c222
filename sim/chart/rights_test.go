package chart_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/sickbay-dev/sickbay/sim/rights"
)

// TestRights: the ServiceAccount gets exactly the rights that the scenarios run with, from the roles of the enabled controllers.
func TestRights(t *testing.T) {
	needHelm(t)
	for name, tt := range map[string]struct {
		openShift bool
		values    []string
		args      []string
	}{
		"all controllers": {},
		"pauses alone":    {values: []string{`controllers=["upgradepause"]`}, args: []string{"--controllers=upgradepause"}},
		"power cycles alone": {
			openShift: true, values: []string{`controllers=["remediation","reboot","intake"]`, "openshift.enabled=true", "openshift.externalRemediation=true"},
			args: []string{"--controllers=remediation,reboot,intake", "--openshift-external-remediation"},
		},
		"all on OpenShift": {openShift: true, values: []string{"openshift.enabled=true"}},
		"with a dashboard": {values: []string{"dashboard.enabled=true"}, args: []string{"--dashboard-bind-address=:8444"}},
	} {
		t.Run(name, func(t *testing.T) {
			account, err := rights.ForArgs(tt.openShift, nil, tt.args...)
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]bool{}
			for _, role := range account.Roles {
				add(want, "", role.Rules)
				add(want, systemNamespace, role.Local)
			}
			if diff := cmp.Diff(sorted(want), sorted(granted(t, render(t, "sickbay", systemNamespace, tt.values...)))); diff != "" {
				t.Errorf("rights (-scenarios +chart):\n%s", diff)
			}
		})
	}
}

// TestRightsInOneNamespace: with watchNamespace, rights to namespaced objects apply only to that namespace. There are two exceptions:
// managers must see each other's leases in any namespace, or two would work on the same objects, and they write events about their own
// lease.
func TestRightsInOneNamespace(t *testing.T) {
	needHelm(t)
	everywhere, inside := granted(t, render(t, "sickbay", systemNamespace)), granted(t, render(t, "sickbay", systemNamespace, `watchNamespace="blue"`))
	want := map[string]bool{}
	for right := range everywhere {
		namespace, what, _ := strings.Cut(right, ": ")
		if namespace == "" && !slices.ContainsFunc([]string{"clusterversions", "machineconfigpools", "reviews", "list leases"}, func(s string) bool { return strings.Contains(what, s) }) {
			namespace = "blue"
		}
		want[namespace+": "+what] = true
		if strings.Contains(what, "events.events.k8s.io") {
			want[systemNamespace+": "+what] = true
		}
	}
	if diff := cmp.Diff(sorted(want), sorted(inside)); diff != "" {
		t.Errorf("rights (-want +chart):\n%s", diff)
	}
}

// TestSecretsInNamedNamespaces: with secretNamespaces, Secrets are read there and nowhere else, and all other rights stay.
func TestSecretsInNamedNamespaces(t *testing.T) {
	needHelm(t)
	want := map[string]bool{}
	for right := range granted(t, render(t, "sickbay", systemNamespace)) {
		if what, ok := strings.CutPrefix(right, ": "); ok && strings.Contains(what, "secrets") {
			want["blue: "+what], want["green: "+what] = true, true
			continue
		}
		want[right] = true
	}
	got := granted(t, render(t, "sickbay", systemNamespace, `secretNamespaces=["blue","green"]`))
	if diff := cmp.Diff(sorted(want), sorted(got)); diff != "" {
		t.Errorf("rights (-want +chart):\n%s", diff)
	}
	if !slices.ContainsFunc(sorted(got), func(right string) bool { return strings.HasPrefix(right, "blue: list secrets") }) {
		t.Error("Secrets are not read in blue")
	}
}

// granted returns the rights that the bindings to Sickbay's ServiceAccount give, without aggregated ones.
func granted(t *testing.T, objects []*unstructured.Unstructured) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, obj := range objects {
		kind := obj.GetKind()
		if kind != "RoleBinding" && kind != "ClusterRoleBinding" {
			continue
		}
		var binding rbacv1.RoleBinding // a ClusterRoleBinding has the same fields
		convert(t, obj, &binding)
		if len(binding.Subjects) != 1 || binding.Subjects[0].Name != "sickbay" || binding.Subjects[0].Namespace != systemNamespace {
			t.Errorf("%s binds %v", binding.Name, binding.Subjects)
		}
		var role rbacv1.ClusterRole
		convert(t, find(t, objects, binding.RoleRef.Kind, binding.RoleRef.Name), &role)
		add(all, binding.Namespace, role.Rules)
	}
	return all
}

func convert(t *testing.T, from *unstructured.Unstructured, to any) {
	t.Helper()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(from.Object, to); err != nil {
		t.Fatal(err)
	}
}

// add adds the rights of rules in a namespace, or everywhere.
func add(all map[string]bool, namespace string, rules []rbacv1.PolicyRule) {
	for _, rule := range rules {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					right := rights.Right{Group: group, Resource: resource, Verb: verb}
					all[namespace+": "+right.String()+" "+strings.Join(rule.ResourceNames, " ")] = true
				}
			}
		}
	}
}

func sorted(all map[string]bool) []string { return slices.Sorted(maps.Keys(all)) }
