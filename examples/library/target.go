package library

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
	"github.com/sickbay-dev/sickbay/healthcheck/targets"
)

// DNS checks the DNS of each Cluster of Cluster API, using the kubeconfig in its Secret. Add clients to the manager
// too, which then closes unused ones.
func DNS(clients *targets.Clients[*clusterv1.Cluster], c client.Client) healthcheck.Registration[*clusterv1.Cluster] {
	clients.Resolve = targets.KubeconfigSecret[*clusterv1.Cluster]{
		Reader: c, DataKey: "value",
		Secret: func(cluster *clusterv1.Cluster) client.ObjectKey {
			return client.ObjectKey{Namespace: cluster.Namespace, Name: cluster.Name + "-kubeconfig"}
		},
	}.Resolve
	coreDNS := func(*clusterv1.Cluster) *appsv1.Deployment {
		return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "coredns"}}
	}
	check := checks.One("dns", checks.Target, coreDNS, checks.Deployment)
	return healthcheck.Registration[*clusterv1.Cluster]{
		Name:       "dns",
		Conditions: []healthcheck.ConditionChecks[*clusterv1.Cluster]{healthcheck.NewCondition("DNSAvailable", check)},
		Targets:    clients, SyncPeriod: 30 * time.Second,
	}
}
