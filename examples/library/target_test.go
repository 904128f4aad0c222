package library_test

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sickbay-dev/sickbay/examples/library"
	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/targets"
)

const unreachable = `
apiVersion: v1
kind: Config
clusters: [{name: dev, cluster: {server: "https://127.0.0.1:1"}}]
contexts: [{name: dev, context: {cluster: dev}}]
current-context: dev
`

// A check of an object in another cluster.
func ExampleDNS() {
	cluster := &clusterv1.Cluster{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "dev"}}
	manager := fake.NewFakeClient(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "dev-kubeconfig"},
		Data:       map[string][]byte{"value": []byte(unreachable)},
	})
	clients := &targets.Clients[*clusterv1.Cluster]{}
	defer clients.Close()
	dns := library.DNS(clients, manager)

	fmt.Println(dns.Validate())

	// The engine does this in each run.
	target, err := dns.Targets.Target(context.Background(), cluster)
	if err != nil {
		fmt.Println(err)
		return
	}
	in := healthcheck.Input[*clusterv1.Cluster]{Object: cluster, Env: healthcheck.Env{Target: target}}
	_, err = dns.Conditions[0].Checks[0].Check.Check(context.Background(), in)
	fmt.Println(err)
	// Output:
	// <nil>
	// getting Deployment kube-system/coredns: cluster default/dev-kubeconfig refuses connections
}
