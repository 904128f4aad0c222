package app

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/cachelist"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// TestSecretNamespaces: a manager that may read Secrets in one namespace alone reads the kubeconfigs there, and is told about no others.
func TestSecretNamespaces(t *testing.T) {
	e := env.Get(t)
	here, elsewhere := e.Namespace(t), e.Namespace(t)
	config, user := e.User("reads-secrets-in-" + here)
	e.Permit(t, here, user, rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"list", "watch"}})
	for _, ns := range []string{here, elsewhere} {
		build.Create(t.Context(), t, e.Client, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "c-kubeconfig", Labels: map[string]string{clusterv1.ClusterNameLabel: "c"}},
			Data:       map[string][]byte{"value": []byte("kubeconfig")},
		})
	}
	options, err := cacheOptions(Options{SecretNamespaces: []string{here}}, &cachelist.Informers{})
	if err != nil {
		t.Fatal(err)
	}
	secrets, err := cache.New(config, options)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- secrets.Start(ctx) }()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the cache has ended with %v", err)
		}
	}()

	if !secrets.WaitForCacheSync(t.Context()) {
		t.Fatal("the cache does not start")
	}
	secret := &corev1.Secret{}
	if err := secrets.Get(t.Context(), client.ObjectKey{Namespace: here, Name: "c-kubeconfig"}, secret); err != nil || len(secret.Data) != 1 {
		t.Errorf("got %v, error %v", secret.Data, err)
	}
	if err := secrets.Get(t.Context(), client.ObjectKey{Namespace: elsewhere, Name: "c-kubeconfig"}, secret); err == nil {
		t.Error("a Secret elsewhere is read, too")
	}
}
