package config_test

import (
	"slices"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestPeople: who views a namespace sees repairs, who edits it writes plans, and only those who were given it decide.
func TestPeople(t *testing.T) {
	all := []string{"machineremediations", "machineremediationtemplates", "rebootremediations", "rebootremediationtemplates"}
	templates := []string{"machineremediationtemplates", "rebootremediationtemplates"}
	for role, want := range map[string]struct {
		aggregate string
		may       map[string][]string
	}{
		"sickbay-view":   {"rbac.authorization.k8s.io/aggregate-to-view", forEach(all, "get", "list", "watch")},
		"sickbay-edit":   {"rbac.authorization.k8s.io/aggregate-to-edit", forEach(templates, "create", "update", "patch", "delete", "deletecollection")},
		"sickbay-decide": {"", forEach([]string{"machineremediations"}, "get", "list", "watch", "patch", "delete")},
	} {
		t.Run(role, func(t *testing.T) {
			e := install(t)
			given := &rbacv1.ClusterRole{}
			if err := e.Client.Get(t.Context(), client.ObjectKey{Name: role}, given); err != nil {
				t.Fatal(err)
			}
			if _, aggregated := given.Labels[want.aggregate]; aggregated != (want.aggregate != "") || len(given.Labels) > 1 {
				t.Errorf("its labels are %v, want %q", given.Labels, want.aggregate)
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

// forEach says for each kind the verbs.
func forEach(kinds []string, verbs ...string) map[string][]string {
	of := map[string][]string{}
	for _, kind := range kinds {
		of[kind] = verbs
	}
	return of
}
