package targets_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/targets"
)

// Each cluster is a namespace with the secret "kubeconfig". A registration with these
// Targets gives its checks a client of the object's target cluster.
func ExampleKubeconfigSecret() {
	var manager client.Client = fake.NewFakeClient() // mgr.GetClient()
	clients := &targets.Clients[*corev1.Pod]{
		Resolve: targets.KubeconfigSecret[*corev1.Pod]{
			Reader: manager,
			Secret: func(pod *corev1.Pod) client.ObjectKey {
				return client.ObjectKey{Namespace: pod.Namespace, Name: "kubeconfig"}
			},
		}.Resolve,
	}
	// mgr.Add(clients) makes the manager close unused clients.
	registration := healthcheck.Registration[*corev1.Pod]{Targets: clients}

	pod := &corev1.Pod{}
	pod.Namespace = "shoot--a"
	_, err := registration.Targets.Target(context.Background(), pod)
	fmt.Println(err)
	// Output: getting the kubeconfig secret shoot--a/kubeconfig: secrets "kubeconfig" not found
}

// A target may be found in any way. Here all objects have the same target cluster, which
// refuses the credential. The second read sends no request.
func ExampleClients() {
	asked := 0
	cluster := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer cluster.Close()

	clients := &targets.Clients[*corev1.Pod]{Resolve: func(context.Context, *corev1.Pod) (targets.Access, error) {
		return targets.Access{Key: "production", Config: func(context.Context) (*rest.Config, error) {
			return &rest.Config{Host: cluster.URL}, nil
		}}, nil
	}}
	defer clients.Close()

	reader, err := clients.Target(context.Background(), &corev1.Pod{})
	fmt.Println(err)
	for range 2 {
		fmt.Println(reader.Get(context.Background(), client.ObjectKey{Name: "n"}, &corev1.Node{}))
	}
	fmt.Println("asked", asked, "time")
	// Output:
	// <nil>
	// cluster production refuses the credential
	// cluster production refuses the credential
	// asked 1 time
}
