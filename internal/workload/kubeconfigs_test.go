package workload

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// TestKubeconfigs: permitted kubeconfigs are read, and no error quotes a kubeconfig.
func TestKubeconfigs(t *testing.T) {
	with := func(user string) string { return strings.Replace(goodKubeconfig, "token: t", user, 1) }
	tests := map[string]struct{ kubeconfig, want string }{
		"complete":      {goodKubeconfig, ""},
		"a file":        {with("tokenFile: /var/run/secrets/kubernetes.io/serviceaccount/token"), "it names a file, which is not allowed"},
		"a command":     {with("exec: {apiVersion: client.authentication.k8s.io/v1, command: s3cret}"), "it names a command, which is not allowed"},
		"not a number":  {with("token: [s3cret]"), `its key "value" holds no valid kubeconfig`},
		"not a proxy":   {strings.Replace(goodKubeconfig, "server:", `proxy-url: "http://a:s3cret@b:%%", server:`, 1), `its key "value" holds no valid kubeconfig`},
		"something":     {"s3cret", `its key "value" holds no valid kubeconfig`},
		"another thing": {"kind: s3cret", `its key "value" holds no valid kubeconfig`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			secret := &corev1.Secret{
				ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "c-kubeconfig"}, Data: map[string][]byte{"value": []byte(tt.kubeconfig)},
			}
			err := Kubeconfigs{fake.NewFakeClient(secret)}.Get(t.Context(), client.ObjectKeyFromObject(secret), &corev1.Secret{})
			said := ""
			if err != nil {
				said = strings.TrimPrefix(err.Error(), "the kubeconfig secret c-kubeconfig cannot be used: ")
			}
			if said != tt.want {
				t.Errorf("says %q, want %q", said, tt.want)
			}
		})
	}
	if err := (Kubeconfigs{fake.NewFakeClient()}).Get(t.Context(), client.ObjectKey{Namespace: "ns", Name: "c-kubeconfig"}, &corev1.Secret{}); err == nil {
		t.Error("a secret that is not there is found")
	}
}
