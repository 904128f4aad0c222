package env

import (
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// User returns a connection to the API server as a user, who may do nothing but what Permit allows, and that user as a subject.
func (e *Env) User(name string) (*rest.Config, rbacv1.Subject) {
	config := rest.CopyConfig(e.Config)
	config.Impersonate.UserName = name
	return config, rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: name}
}

// Permit allows somebody to do something in a namespace, or everywhere if it is empty.
func (e *Env) Permit(t testing.TB, namespace string, who rbacv1.Subject, rules ...rbacv1.PolicyRule) {
	t.Helper()
	meta, subjects := metav1.ObjectMeta{Namespace: namespace, GenerateName: who.Name + "-"}, []rbacv1.Subject{who}
	role, ref := client.Object(&rbacv1.Role{ObjectMeta: meta, Rules: rules}), rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role"}
	if namespace == "" {
		role, ref.Kind = &rbacv1.ClusterRole{ObjectMeta: meta, Rules: rules}, "ClusterRole"
	}
	if err := e.Client.Create(t.Context(), role); err != nil {
		t.Fatalf("creating a role: %v", err)
	}
	ref.Name = role.GetName()
	binding := client.Object(&rbacv1.RoleBinding{ObjectMeta: meta, RoleRef: ref, Subjects: subjects})
	if namespace == "" {
		binding = &rbacv1.ClusterRoleBinding{ObjectMeta: meta, RoleRef: ref, Subjects: subjects}
	}
	if err := e.Client.Create(t.Context(), binding); err != nil {
		t.Fatalf("binding a role: %v", err)
	}
}
