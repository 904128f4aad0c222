package gardener_test

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/gardener"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
)

// kubeconfigOf returns a kubeconfig for the API server of the tests.
func kubeconfigOf(t *testing.T, config *rest.Config, change func(*clientcmdapi.AuthInfo)) []byte {
	t.Helper()
	user := &clientcmdapi.AuthInfo{ClientCertificateData: config.CertData, ClientKeyData: config.KeyData}
	change(user)
	kubeconfig, err := clientcmd.Write(clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"it": {Server: config.Host, CertificateAuthorityData: config.CAData}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"me": user},
		Contexts:       map[string]*clientcmdapi.Context{"it": {Cluster: "it", AuthInfo: "me"}},
		CurrentContext: "it",
	})
	if err != nil {
		t.Fatal(err)
	}
	return kubeconfig
}

func asIs(*clientcmdapi.AuthInfo) {}

// A shoot has one client while its kubeconfig stays the same, and the internal Secret comes
// first.
func TestShootTargets(t *testing.T) {
	e := env.Get(t)
	targets := &gardener.ShootTargets{Client: e.Client, Scheme: e.Scheme}
	obj := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: e.Namespace(t)}}
	if _, ok := target(t, targets, obj).(client.Client); ok {
		t.Fatal("there is a client without a Secret")
	}
	// Checks of package healthcheck/checks can use the client that stands for an
	// unreachable target.
	want := "cluster " + obj.Namespace + ` cannot be asked: secrets "gardener" not found`
	for _, err := range []error{
		target(t, targets, obj).Get(t.Context(), client.ObjectKeyFromObject(obj), &corev1.ConfigMap{}),
		target(t, targets, obj).List(t.Context(), &corev1.NamespaceList{}),
	} {
		if unavailable, ok := errors.AsType[*healthcheck.UnavailableError](err); !ok || unavailable.Error() != want {
			t.Errorf("without a Secret the error is %v, want %s", err, want)
		}
	}
	kubeconfig := kubeconfigOf(t, e.Config, asIs)
	newSecret(t, e, obj.Namespace, "gardener", kubeconfig)
	first := target(t, targets, obj)
	if err := first.List(t.Context(), &corev1.NamespaceList{}); err != nil {
		t.Fatal(err)
	}
	if target(t, targets, obj) != first {
		t.Error("the client was made anew")
	}
	internal := newSecret(t, e, obj.Namespace, "gardener-internal", append(kubeconfig, "# internal\n"...))
	second := target(t, targets, obj)
	if second == first {
		t.Error("the internal Secret does not come first")
	}
	internal.Labels = map[string]string{"changed": "true"}
	update(t, e, internal)
	if target(t, targets, obj) != second {
		t.Error("a Secret with a new label has a new client")
	}
	internal.Data["kubeconfig"] = append(kubeconfig, "# renewed\n"...)
	update(t, e, internal)
	if target(t, targets, obj) == second {
		t.Error("a changed Secret has the old client")
	}
}

// Outside the seed, the internal Secret is useless.
func TestShootTargetsExternal(t *testing.T) {
	e := env.Get(t)
	targets := &gardener.ShootTargets{Client: e.Client, Scheme: e.Scheme, External: true}
	internal := newSecret(t, e, e.Namespace(t), "gardener-internal", kubeconfigOf(t, e.Config, asIs))
	if _, ok := target(t, targets, internal).(client.Client); ok {
		t.Error("from outside the internal Secret is taken")
	}
	newSecret(t, e, internal.Namespace, "gardener", internal.Data["kubeconfig"])
	if _, ok := target(t, targets, internal).(client.Client); !ok {
		t.Error("from outside there is no client")
	}
}

func target(t *testing.T, targets *gardener.ShootTargets, obj client.Object) client.Reader {
	t.Helper()
	c, err := targets.Target(t.Context(), obj)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func newSecret(t *testing.T, e *env.Env, namespace, name string, kubeconfig []byte) *corev1.Secret {
	t.Helper()
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: map[string][]byte{"kubeconfig": kubeconfig}}
	if err := e.Client.Create(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	return s
}

func update(t *testing.T, e *env.Env, s *corev1.Secret) {
	t.Helper()
	if err := e.Client.Update(t.Context(), s); err != nil {
		t.Fatal(err)
	}
}

// A kubeconfig that refers to files or commands is refused.
func TestShootTargetsRefuse(t *testing.T) {
	e := env.Get(t)
	targets := &gardener.ShootTargets{Client: e.Client, Scheme: e.Scheme}
	for name, change := range map[string]func(*clientcmdapi.AuthInfo){
		"command": func(u *clientcmdapi.AuthInfo) {
			u.Exec = &clientcmdapi.ExecConfig{Command: "true", APIVersion: "client.authentication.k8s.io/v1"}
		},
		"auth provider": func(u *clientcmdapi.AuthInfo) { u.AuthProvider = &clientcmdapi.AuthProviderConfig{Name: "it"} },
		"file":          func(u *clientcmdapi.AuthInfo) { u.ClientKeyData, u.ClientKey = nil, "/etc/key" },
	} {
		s := newSecret(t, e, e.Namespace(t), "gardener", kubeconfigOf(t, e.Config, change))
		if _, ok := target(t, targets, s).(client.Client); ok {
			t.Errorf("%s is taken", name)
		}
	}
}
