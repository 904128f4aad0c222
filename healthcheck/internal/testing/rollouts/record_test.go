package rollouts

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
)

var controllers = flag.String("record", "", "record the histories anew: the path of workload-controllers, see tools/controlplane")

func TestMain(m *testing.M) { env.Main(m) }

// TestRecord records the histories anew, which takes two minutes with -parallel=40.
func TestRecord(t *testing.T) {
	if *controllers == "" {
		t.Skip("it needs the controllers of kube-controller-manager: -args -record=PATH")
	}
	e := env.Get(t)
	runControllers(t, e)
	record(t, e, deployments())
	record(t, e, statefulSets())
	record(t, e, daemonSets())
}

// runControllers starts the controllers, which stop with the test.
func runControllers(t *testing.T, e *env.Env) {
	t.Helper()
	c := e.Config
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	err := clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"c": {Server: c.Host, CertificateAuthorityData: c.CAData}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"u": {ClientCertificateData: c.CertData, ClientKeyData: c.KeyData}},
		Contexts:       map[string]*clientcmdapi.Context{"c": {Cluster: "c", AuthInfo: "u"}},
		CurrentContext: "c",
	}, kubeconfig)
	must(t, err)
	cmd := exec.CommandContext(t.Context(), *controllers, kubeconfig)
	cmd.Stderr = os.Stderr
	must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Wait() })
}

// record plays the stories of a kind side by side, and stores them in their order.
func record[O Workload](t *testing.T, e *env.Env, stories []story[O]) {
	t.Helper()
	histories := make([][]line, len(stories))
	t.Run(file[O](), func(t *testing.T) {
		for i, s := range stories {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				histories[i] = play(t, e, s)
			})
		}
	})
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	for _, history := range histories {
		for _, m := range history {
			must(t, encoder.Encode(m))
		}
	}
	if !t.Failed() {
		must(t, os.WriteFile(file[O](), lines.Bytes(), 0o600))
	}
}

func podTemplate(story string) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "a"}},
		Spec: corev1.PodSpec{
			Containers:   []corev1.Container{{Name: "a", Image: "a:1"}},
			NodeSelector: map[string]string{"story": story},
		},
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
