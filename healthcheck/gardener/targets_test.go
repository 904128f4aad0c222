package gardener_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	testingclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck/gardener"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// kubeconfigOf writes down how to reach the API server of the tests.
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

// A shoot has one client as long as its Secret stays the same, and the internal Secret
// comes first.
func TestShootTargets(t *testing.T) {
	e := env.Get(t)
	clock := testingclock.NewFakePassiveClock(now)
	targets := &gardener.ShootTargets{Client: e.Client, Scheme: e.Scheme, Clock: clock}
	obj := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: e.Namespace(t)}}
	get := func() client.Reader {
		t.Helper()
		c, err := targets.Target(t.Context(), obj)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	if _, ok := get().(client.Client); ok {
		t.Fatal("there is a client without a Secret")
	}
	secret := func(name string) *corev1.Secret {
		s := &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: obj.Namespace, Name: name},
			Data:       map[string][]byte{"kubeconfig": kubeconfigOf(t, e.Config, asIs)},
		}
		if err := e.Client.Create(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		return s
	}
	secret("gardener")
	first := get()
	if err := first.List(t.Context(), &corev1.NamespaceList{}); err != nil {
		t.Fatal(err)
	}
	if get() != first {
		t.Error("the client was made anew")
	}
	internal := secret("gardener-internal")
	second := get()
	if second == first {
		t.Error("the internal Secret does not come first")
	}
	internal.Labels = map[string]string{"changed": "true"}
	if err := e.Client.Update(t.Context(), internal); err != nil {
		t.Fatal(err)
	}
	third := get()
	if third == second {
		t.Error("a changed Secret has the old client")
	}
	clock.SetTime(now.Add(time.Hour))
	if get() == third {
		t.Error("an idle client was kept")
	}
	targets.External = true
	if get() == third {
		t.Error("from outside the internal Secret is taken")
	}
}

// A kubeconfig that would have us do more than speak to the shoot is refused.
func TestShootTargetsRefuse(t *testing.T) {
	e := env.Get(t)
	targets := &gardener.ShootTargets{Client: e.Client, Scheme: e.Scheme}
	for name, change := range map[string]func(*clientcmdapi.AuthInfo){
		"command": func(u *clientcmdapi.AuthInfo) {
			u.Exec = &clientcmdapi.ExecConfig{Command: "true", APIVersion: "client.authentication.k8s.io/v1"}
		},
		"auth provider": func(u *clientcmdapi.AuthInfo) { u.AuthProvider = &clientcmdapi.AuthProviderConfig{Name: "it"} },
		"impersonation": func(u *clientcmdapi.AuthInfo) { u.Impersonate = "system:admin" },
	} {
		s := &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: e.Namespace(t), Name: "gardener"},
			Data:       map[string][]byte{"kubeconfig": kubeconfigOf(t, e.Config, change)},
		}
		if err := e.Client.Create(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		c, err := targets.Target(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := c.(client.Client); ok {
			t.Errorf("%s is taken", name)
		}
	}
}
