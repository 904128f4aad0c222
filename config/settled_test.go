package config_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// settled waits until the API server knows the roles and bindings that it has stored. It decides by caches, and each of
// these hears of one kind, in the order of the writes: who knows the last objects knows all before them.
func settled(t *testing.T, e *env.Env) {
	t.Helper()
	ns := e.Namespace(t)
	last := account("last-" + ns)
	here, anywhere := metav1.ObjectMeta{Namespace: ns, Name: string(last)}, metav1.ObjectMeta{Name: string(last)}
	get := func(resource string) []rbacv1.PolicyRule {
		return []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{resource}, Verbs: []string{"get"}}}
	}
	to := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: systemNamespace, Name: string(last)}}
	build.Create(t.Context(), t, e.Client,
		&rbacv1.Role{ObjectMeta: here, Rules: get("configmaps")},
		&rbacv1.RoleBinding{ObjectMeta: here, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: here.Name}, Subjects: to},
		&rbacv1.ClusterRole{ObjectMeta: anywhere, Rules: get("nodes")},
		&rbacv1.ClusterRoleBinding{ObjectMeta: anywhere, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: anywhere.Name}, Subjects: to})
	NewWithT(t).Eventually(func() bool {
		return may(t, e, last, "get", resource{"", "configmaps", "", ns}) && may(t, e, last, "get", resource{"", "nodes", "", ""})
	}, time.Minute).Should(BeTrue())
}
