package workload

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/cluster-api/controllers/clustercache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

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

// BenchmarkNotConnected measures one look at a Machine of a cluster that is not connected.
func BenchmarkNotConnected(b *testing.B) {
	stored := &secrets{}
	certificate := strings.Repeat("QUJD", 400)
	stored.set("a", "1", strings.NewReplacer("user: {token: t}", "user: {client-certificate-data: "+certificate+", client-key-data: "+certificate+"}",
		`6443"`, `6443", certificate-authority-data: `+certificate).Replace(goodKubeconfig))
	clusters, _ := over(&connection{connect: clustercache.ErrClusterNotConnected}, stored)
	if _, err := clusters.Get(b.Context(), key, "n"); !strings.Contains(err.Error(), causeNoConnection) {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		_, _ = clusters.Get(b.Context(), key, "n")
		_ = clusters.Watch(b.Context(), "machinehealth", key, nil, nil)
	}
}
