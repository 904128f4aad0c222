package workload

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/cluster-api/controllers/clustercache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/testing/env"
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
			e := env.Get(t)
			cluster := client.ObjectKey{Namespace: e.Namespace(t), Name: "c"}
			if tt.data != nil {
				secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: cluster.Namespace, Name: "c-kubeconfig"}, Data: tt.data}
				if err := e.Client.Create(t.Context(), secret); err != nil {
					t.Fatal(err)
				}
			}
			clusters, _ := over(&connection{connect: fmt.Errorf("attempt 7: %w", clustercache.ErrClusterNotConnected)}, e.Client)
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
