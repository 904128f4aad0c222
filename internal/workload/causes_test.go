package workload

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/cluster-api/controllers/clustercache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

const goodKubeconfig = `
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`

// TestKubeconfigProblems covers the causes that a person can fix.
func TestKubeconfigProblems(t *testing.T) {
	unusable := `the kubeconfig secret c-kubeconfig cannot be used: its key "value" holds no valid kubeconfig`
	forbidden := "the kubeconfig secret c-kubeconfig cannot be used: it names a file, which is not allowed"
	tests := map[string]struct {
		data map[string][]byte
		want string
	}{
		"names a file":        {map[string][]byte{"value": []byte(strings.Replace(goodKubeconfig, "token: t", "tokenFile: /t", 1))}, forbidden},
		"no secret":           {nil, "the kubeconfig secret c-kubeconfig does not exist"},
		"no key":              {map[string][]byte{"other": []byte(goodKubeconfig)}, unusable},
		"no kubeconfig in it": {map[string][]byte{"value": []byte("{")}, unusable},
		"empty":               {map[string][]byte{"value": {}}, unusable},
		"a good one":          {map[string][]byte{"value": []byte(goodKubeconfig)}, causeNoConnection},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			cluster, secrets := client.ObjectKey{Namespace: "ns", Name: "c"}, fake.NewFakeClient()
			if tt.data != nil {
				secrets = fake.NewFakeClient(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "c-kubeconfig"}, Data: tt.data})
			}
			clusters, _ := over(&connection{connect: fmt.Errorf("attempt 7: %w", clustercache.ErrClusterNotConnected)}, secrets)
			_, cached := clusters.Get(t.Context(), cluster, "n")
			_, live := clusters.GetLive(t.Context(), cluster, "n")
			watch := clusters.Watch(t.Context(), "nodes", cluster, nil, nil)
			for how, err := range map[string]error{"Get": cached, "GetLive": live, "Watch": watch} {
				if cause, ok := Unreadable(err); !ok || cause != tt.want {
					t.Errorf("%s: cause is %q, want %q", how, cause, tt.want)
				}
				if !errors.Is(err, clustercache.ErrClusterNotConnected) {
					t.Errorf("%s: error is %v, want what happened in it", how, err)
				}
			}
		})
	}
}

// TestCauseIsStable: the cause must not change, because it is part of a condition's message.
func TestCauseIsStable(t *testing.T) {
	var causes []string
	for port := range 3 {
		clusters, _ := over(answers(fmt.Errorf("dial tcp 10.0.0.1:%d: connection reset by peer", port)), nil)
		_, err := clusters.Get(t.Context(), key, "n")
		cause, _ := Unreadable(err)
		causes = append(causes, cause)
	}
	if causes[0] == "" || causes[0] != causes[1] || causes[1] != causes[2] {
		t.Errorf("the causes of one problem are %q", causes)
	}
}

// TestOtherErrorsAreNoCause: a failure that has nothing to do with the cluster stays an error.
func TestOtherErrorsAreNoCause(t *testing.T) {
	if cause, ok := Unreadable(errors.New("x")); ok || cause != "" {
		t.Errorf("got cause %q", cause)
	}
	if cause, ok := Unreadable(fmt.Errorf("reading: %w", &UnreadableError{Cause: "c"})); !ok || cause != "c" {
		t.Errorf("got cause %q, want that of the error within", cause)
	}
}

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

// secrets answers with one kubeconfig secret, a copy each time, as a cache does.
type secrets struct {
	client.Reader
	kubeconfig *corev1.Secret
}

func (s *secrets) Get(_ context.Context, _ client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	s.kubeconfig.DeepCopyInto(obj.(*corev1.Secret))
	return nil
}

func (s *secrets) set(uid types.UID, version, kubeconfig string) {
	s.kubeconfig = &corev1.Secret{Data: map[string][]byte{"value": []byte(kubeconfig)}}
	s.kubeconfig.Name, s.kubeconfig.UID, s.kubeconfig.ResourceVersion = "c-kubeconfig", uid, version
}

// TestProblemOfEachVersion: the cached problem is that of the current kubeconfig Secret, even after the Secret is fixed or recreated.
func TestProblemOfEachVersion(t *testing.T) {
	stored := &secrets{}
	clusters, _ := over(&connection{connect: clustercache.ErrClusterNotConnected}, stored)
	for _, step := range []struct {
		uid                 types.UID
		version, kubeconfig string
		want                string
	}{
		{"a", "1", "{", "no valid kubeconfig"},
		{"a", "1", "{", "no valid kubeconfig"},
		{"a", "2", goodKubeconfig, causeNoConnection},
		{"a", "3", strings.Replace(goodKubeconfig, "token: t", "tokenFile: /t", 1), "names a file"},
		{"b", "3", goodKubeconfig, causeNoConnection},
	} {
		stored.set(step.uid, step.version, step.kubeconfig)
		_, err := clusters.Get(t.Context(), key, "n")
		if cause, _ := Unreadable(err); !strings.Contains(cause, step.want) {
			t.Errorf("version %s of %s: the cause is %q, want one with %q", step.version, step.uid, cause, step.want)
		}
	}
	clusters.Forget(key)
	if _, kept := clusters.problems.Load(key); kept {
		t.Error("what is kept for a cluster outlives it")
	}
}
