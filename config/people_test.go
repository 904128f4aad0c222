package config_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/dashboard"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestPeople: who views a namespace sees repairs, who edits it writes plans, who administers it decides, and so do those who were given it.
func TestPeople(t *testing.T) {
	all := []string{"machineremediations", "machineremediationtemplates", "rebootremediations", "rebootremediationtemplates"}
	templates := []string{"machineremediationtemplates", "rebootremediationtemplates"}
	for role, want := range map[string]struct {
		aggregate string
		may       map[string][]string
	}{
		"sickbay-view": {"rbac.authorization.k8s.io/aggregate-to-view", forEach(all, "get", "list", "watch")},
		"sickbay-edit": {"rbac.authorization.k8s.io/aggregate-to-edit", forEach(templates, "create", "update", "patch", "delete", "deletecollection")},
		"sickbay-admin": {"rbac.authorization.k8s.io/aggregate-to-admin", map[string][]string{
			"machineremediations": {"create", "patch", "delete"}, "rebootremediations": {"create", "delete"},
		}},
		"sickbay-decide":    {"", forEach([]string{"machineremediations"}, "get", "list", "watch", "create", "patch", "delete")},
		"sickbay-dashboard": {"", forEach([]string{"machineremediations", "machineremediationtemplates", "rebootremediations"}, "get", "list", "watch")},
	} {
		t.Run(role, func(t *testing.T) {
			e := install(t)
			given := &rbacv1.ClusterRole{}
			if err := e.Client.Get(t.Context(), client.ObjectKey{Name: role}, given); err != nil {
				t.Fatal(err)
			}
			for _, label := range []string{"view", "edit", "admin"} {
				label = "rbac.authorization.k8s.io/aggregate-to-" + label
				if _, aggregated := given.Labels[label]; aggregated != (want.aggregate == label) {
					t.Errorf("its labels are %v, want %q alone", given.Labels, want.aggregate)
				}
			}
			build.Create(t.Context(), t, e.Client, &rbacv1.ClusterRoleBinding{
				ObjectMeta: metav1.ObjectMeta{Name: "test-" + role},
				RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
				Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: systemNamespace, Name: role}},
			})
			settled(t, e)
			for _, kind := range all {
				for _, verb := range []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"} {
					wanted := slices.Contains(want.may[kind], verb)
					if got := may(t, e, account(role), verb, resource{group: own, resource: kind, namespace: "any"}); got != wanted {
						t.Errorf("%s of %s: allowed is %v, want %v", verb, kind, got, wanted)
					}
				}
				if may(t, e, account(role), "update", resource{group: own, resource: kind, subresource: "status", namespace: "any"}) {
					t.Errorf("%s may write the status of %s", role, kind)
				}
			}
		})
	}
}

// TestDashboardRole: it gives what the dashboard asks for, and no more than to read it.
func TestDashboardRole(t *testing.T) {
	e := install(t)
	given := &rbacv1.ClusterRole{}
	if err := e.Client.Get(t.Context(), client.ObjectKey{Name: "sickbay-dashboard"}, given); err != nil {
		t.Fatal(err)
	}
	var want []rbacv1.PolicyRule
	for _, kind := range dashboard.Shown() {
		if len(want) == 0 || want[len(want)-1].APIGroups[0] != kind.Group {
			want = append(want, rbacv1.PolicyRule{APIGroups: []string{kind.Group}, Verbs: []string{"get", "list", "watch"}})
		}
		last := &want[len(want)-1]
		last.Resources = append(last.Resources, kind.Resource)
	}
	if diff := cmp.Diff(want, given.Rules, cmpopts.SortSlices(strings.Compare)); diff != "" {
		t.Errorf("(-asked for +given):\n%s", diff)
	}
}

// forEach says for each kind the verbs.
func forEach(kinds []string, verbs ...string) map[string][]string {
	of := map[string][]string{}
	for _, kind := range kinds {
		of[kind] = verbs
	}
	return of
}
