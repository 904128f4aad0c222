package targets_test

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sickbay-dev/sickbay/healthcheck/targets"
)

// secretOf returns the secret of an object, named as in Cluster API.
func secretOf(obj string) client.ObjectKey {
	return client.ObjectKey{Namespace: "default", Name: obj + "-kubeconfig"}
}

func secret(data map[string][]byte) *corev1.Secret {
	key := secretOf("o")
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}, Data: data}
}

// kubeconfig returns one with this cluster and this user.
func kubeconfig(cluster, user string) []byte {
	return []byte(`{apiVersion: v1, kind: Config, current-context: x, contexts: [{name: x, context: {cluster: c, user: u}}],
		clusters: [{name: c, cluster: {` + cluster + `}}], users: [{name: u, user: {` + user + `}}]}`)
}

// TestKubeconfigs: errors say what is wrong without quoting the secret; references to this
// machine are refused.
func TestKubeconfigs(t *testing.T) {
	const good = `server: "https://10.0.0.1:6443"`
	const invalid = "the secret holds no valid kubeconfig"
	names := func(what string) string {
		return "the kubeconfig in the secret names " + what + ", which is not allowed"
	}
	tests := map[string]struct{ cluster, user, want string }{
		"good":                {good, `token: t`, ""},
		"with inline files":   {good + `, certificate-authority-data: ""`, `client-certificate-data: "eA==", client-key-data: "eA=="`, ""},
		"unknown fields":      {good, `surprise: s3cret`, ""},
		"no cluster":          {``, `token: t`, invalid},
		"not base64":          {good, `client-key-data: "s3cret!"`, invalid},
		"no YAML":             {`s3cret: {`, ``, invalid},
		"command":             {good, `exec: {apiVersion: client.authentication.k8s.io/v1, command: /bin/sh, interactiveMode: Never}`, names("a command")},
		"auth provider":       {good, `auth-provider: {name: oidc}`, names("an auth provider")},
		"token file":          {good, `tokenFile: /var/run/secrets/kubernetes.io/serviceaccount/token`, names("a file")},
		"client certificate":  {good, `client-certificate: /etc/passwd, client-key-data: "eA=="`, names("a file")},
		"client key":          {good, `client-certificate-data: "eA==", client-key: /etc/passwd`, names("a file")},
		"authority in a file": {good + `, certificate-authority: /etc/passwd`, `token: t`, names("a file")},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			resolver := targets.KubeconfigSecret[string]{
				Reader: fake.NewFakeClient(secret(map[string][]byte{"kubeconfig": kubeconfig(tt.cluster, tt.user)})), Secret: secretOf,
			}
			target, err := resolver.Resolve(t.Context(), "o")
			if err != nil || target.Key != "default/o-kubeconfig" {
				t.Fatalf("got target %q and error %v", target.Key, err)
			}
			cfg, err := target.Config(t.Context())
			if text(err) != tt.want || (cfg != nil) != (tt.want == "") {
				t.Errorf("got %v and error %q, want error %q", cfg, text(err), tt.want)
			}
		})
	}
}

// TestNoKubeconfig: the error says what is missing.
func TestNoKubeconfig(t *testing.T) {
	tests := map[string]struct {
		reader client.Reader
		key    string
		want   string
	}{
		"no secret": {fake.NewFakeClient(), "", `getting the kubeconfig secret default/o-kubeconfig: secrets "o-kubeconfig" not found`},
		"no key":    {fake.NewFakeClient(secret(nil)), "", `the kubeconfig secret default/o-kubeconfig has no key "kubeconfig"`},
		"empty":     {fake.NewFakeClient(secret(map[string][]byte{"value": {}})), "value", `the kubeconfig secret default/o-kubeconfig has no key "value"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := &targets.Clients[string]{Resolve: targets.KubeconfigSecret[string]{Reader: tt.reader, Secret: secretOf, DataKey: tt.key}.Resolve}
			defer c.Close()
			if _, err := c.Target(t.Context(), "o"); text(err) != tt.want {
				t.Errorf("the error is %q, want %q", text(err), tt.want)
			}
		})
	}
}

// TestVersion: only the kubeconfig changes it.
func TestVersion(t *testing.T) {
	version := func(s *corev1.Secret) string {
		t.Helper()
		target, err := targets.KubeconfigSecret[string]{Reader: fake.NewFakeClient(s), Secret: secretOf}.Resolve(context.Background(), "o")
		if err != nil {
			t.Fatal(err)
		}
		return target.Version
	}
	first := secret(map[string][]byte{"kubeconfig": []byte("1")})
	labelled := secret(map[string][]byte{"kubeconfig": []byte("1"), "other": []byte("2")})
	labelled.Labels = map[string]string{"a": "b"}
	labelled.ResourceVersion = "7"
	if version(first) != version(labelled) {
		t.Error("a label makes a new version")
	}
	if version(first) == version(secret(map[string][]byte{"kubeconfig": []byte("2")})) {
		t.Error("another kubeconfig makes no new version")
	}
}
