package targets_test

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
	"github.com/sickbay-dev/sickbay/healthcheck/targets"
)

// account creates a ServiceAccount with the given rights on ConfigMaps, and returns a kubeconfig with its
// token.
func account(t *testing.T, e *env.Env, namespace, name string, verbs ...string) []byte {
	t.Helper()
	meta := metav1.ObjectMeta{Namespace: namespace, Name: name}
	sa := &corev1.ServiceAccount{ObjectMeta: meta}
	create(t, e, sa)
	if len(verbs) > 0 {
		create(t, e, &rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: verbs}}})
		create(t, e, &rbacv1.RoleBinding{
			ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
			Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: namespace, Name: name}},
		})
		awaitAccess(t, e, sa, verbs[0])
	}
	request := &authenticationv1.TokenRequest{}
	if err := e.Client.SubResource("token").Create(t.Context(), sa, request); err != nil {
		t.Fatal(err)
	}
	return tokenConfig(t, e, request.Status.Token)
}

// awaitAccess waits until the API server applies the stored permissions, which it reads from a cache.
func awaitAccess(t *testing.T, e *env.Env, sa *corev1.ServiceAccount, verb string) {
	t.Helper()
	NewWithT(t).Eventually(func() bool {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User:               "system:serviceaccount:" + sa.Namespace + ":" + sa.Name,
			ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: sa.Namespace, Verb: verb, Resource: "configmaps"},
		}}
		create(t, e, review)
		return review.Status.Allowed
	}, patience).Should(BeTrue())
}

func tokenConfig(t *testing.T, e *env.Env, token string) []byte {
	t.Helper()
	config := clientcmdapi.NewConfig()
	config.Clusters["c"] = &clientcmdapi.Cluster{Server: e.Config.Host, CertificateAuthorityData: e.Config.CAData}
	config.AuthInfos["u"] = &clientcmdapi.AuthInfo{Token: token}
	config.Contexts["x"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u"}
	config.CurrentContext = "x"
	written, err := clientcmd.Write(*config)
	if err != nil {
		t.Fatal(err)
	}
	return written
}

func create(t *testing.T, e *env.Env, obj client.Object) {
	t.Helper()
	if err := e.Client.Create(t.Context(), obj); err != nil {
		t.Fatal(err)
	}
}

// TestRealTarget: the target is the real API server, and the credentials in the secret change while
// checks run.
func TestRealTarget(t *testing.T) {
	e := env.Get(t)
	namespace := e.Namespace(t)
	kubeconfig := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "k"}}
	create(t, e, kubeconfig)
	create(t, e, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "c"}})

	var registered healthcheck.Targets[*corev1.Namespace] = &targets.Clients[*corev1.Namespace]{
		Resolve: targets.KubeconfigSecret[*corev1.Namespace]{
			Reader: e.Client, Secret: func(ns *corev1.Namespace) client.ObjectKey { return client.ObjectKey{Namespace: ns.Name, Name: "k"} },
		}.Resolve,
		Options: targets.Options{Clock: newClock()},
	}
	defer registered.(*targets.Clients[*corev1.Namespace]).Close()
	about := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	read := func(ctx context.Context) error {
		r, err := registered.Target(ctx, about)
		if err != nil {
			return err
		}
		return r.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "c"}, &corev1.ConfigMap{})
	}
	steps := []struct {
		name       string
		kubeconfig []byte
		ok         func(error) bool
	}{
		{"may read", account(t, e, namespace, "reader", "get"), func(err error) bool { return err == nil }},
		{"may not read", account(t, e, namespace, "nobody"), apierrors.IsForbidden},
		{"refused", tokenConfig(t, e, "forged"), func(err error) bool {
			return text(err) == "cluster "+namespace+"/k refuses the credential" && apierrors.IsUnauthorized(err)
		}},
		{"may read again", account(t, e, namespace, "another", "get"), func(err error) bool { return err == nil }},
	}
	for _, step := range steps {
		kubeconfig.Data = map[string][]byte{"kubeconfig": step.kubeconfig}
		if err := e.Client.Update(t.Context(), kubeconfig); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := read(t.Context()); !step.ok(err) {
				t.Errorf("%s: %v", step.name, err)
			}
		}
	}
}
