// Package clusterapi is what differs between the versions of Cluster API that a world can run: where they keep their controllers and their
// definitions. make test-sim CAPI=1.13 compiles _1.13/clusterapi.go in the place of this file.
package clusterapi

import (
	"net/http"
	"time"

	"sigs.k8s.io/cluster-api/bootstrap/kubeadm/reconcilers/kubeadmconfig"
	"sigs.k8s.io/cluster-api/controllers/clustercache"
	"sigs.k8s.io/cluster-api/controlplane/kubeadm/reconcilers/kubeadmcontrolplane"
	"sigs.k8s.io/cluster-api/core/reconcilers/cluster"
	"sigs.k8s.io/cluster-api/core/reconcilers/clusterclass"
	"sigs.k8s.io/cluster-api/core/reconcilers/machine"
	"sigs.k8s.io/cluster-api/core/reconcilers/machinedeployment"
	"sigs.k8s.io/cluster-api/core/reconcilers/machinehealthcheck"
	"sigs.k8s.io/cluster-api/core/reconcilers/machinepool"
	"sigs.k8s.io/cluster-api/core/reconcilers/machineset"
	topologycluster "sigs.k8s.io/cluster-api/core/reconcilers/topology/cluster"
	topologymachinedeployment "sigs.k8s.io/cluster-api/core/reconcilers/topology/machinedeployment"
	topologymachineset "sigs.k8s.io/cluster-api/core/reconcilers/topology/machineset"
	"sigs.k8s.io/cluster-api/core/setup"
	"sigs.k8s.io/cluster-api/util/index"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// CRDs is the directory of the definitions of the core kinds.
const CRDs = "core/config/crd/bases/"

type (
	// Cluster reconciles Clusters.
	Cluster = cluster.Reconciler
	// ClusterClass reconciles ClusterClasses.
	ClusterClass = clusterclass.Reconciler
	// ClusterTopology reconciles what the topologies of Clusters ask for.
	ClusterTopology = topologycluster.Reconciler
	// KubeadmControlPlane reconciles KubeadmControlPlanes.
	KubeadmControlPlane = kubeadmcontrolplane.Reconciler
	// Machine reconciles Machines.
	Machine = machine.Reconciler
	// MachineDeployment reconciles MachineDeployments.
	MachineDeployment = machinedeployment.Reconciler
	// MachineDeploymentTopology reconciles MachineDeployments of topologies.
	MachineDeploymentTopology = topologymachinedeployment.Reconciler
	// MachineHealthCheck reconciles MachineHealthChecks.
	MachineHealthCheck = machinehealthcheck.Reconciler
	// MachinePool reconciles MachinePools.
	MachinePool = machinepool.Reconciler
	// MachineSet reconciles MachineSets.
	MachineSet = machineset.Reconciler
	// MachineSetTopology reconciles MachineSets of topologies.
	MachineSetTopology = topologymachineset.Reconciler
)

// KubeadmConfig returns the controller of KubeadmConfigs.
func KubeadmConfig(c, secrets client.Client, live client.Reader, clusters clustercache.ClusterCache, tokenTTL time.Duration) *kubeadmconfig.Reconciler {
	return &kubeadmconfig.Reconciler{Client: c, SecretCachingClient: secrets, APIReader: live, ClusterCache: clusters, TokenTTL: tokenTTL}
}

// Transport returns the round tripper with which KubeadmControlPlane reaches etcd.
func Transport(next http.RoundTripper) http.RoundTripper { return next }

// How Cluster API's own binary sets itself up.
var (
	AddDefaultIndexes         = index.AddDefaultIndexes
	ManagerClientOptions      = setup.ManagerClientOptions
	CreateSecretCachingClient = setup.CreateSecretCachingClient
	ClusterCacheCacheOptions  = setup.ClusterCacheCacheOptions
	ClusterCacheClientOptions = setup.ClusterCacheClientOptions
)
