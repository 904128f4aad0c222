// Package clusterapi is that of the directory above, for Cluster API 1.13.
package clusterapi

import (
	"net/http"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/util/httpstream"
	newer "k8s.io/streaming/pkg/httpstream"
	"sigs.k8s.io/cluster-api/api/core/v1beta2/index"
	bootstrap "sigs.k8s.io/cluster-api/bootstrap/kubeadm/controllers"
	"sigs.k8s.io/cluster-api/controllers"
	"sigs.k8s.io/cluster-api/controllers/clustercache"
	"sigs.k8s.io/cluster-api/controllers/remote"
	controlplane "sigs.k8s.io/cluster-api/controlplane/kubeadm/controllers"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// CRDs is the directory of the definitions of the core kinds.
const CRDs = "config/crd/bases/"

// The controllers.
type (
	Cluster                   = controllers.ClusterReconciler
	ClusterClass              = controllers.ClusterClassReconciler
	ClusterTopology           = controllers.ClusterTopologyReconciler
	KubeadmControlPlane       = controlplane.KubeadmControlPlaneReconciler
	Machine                   = controllers.MachineReconciler
	MachineDeployment         = controllers.MachineDeploymentReconciler
	MachineDeploymentTopology = controllers.MachineDeploymentTopologyReconciler
	MachineHealthCheck        = controllers.MachineHealthCheckReconciler
	MachinePool               = controllers.MachinePoolReconciler
	MachineSet                = controllers.MachineSetReconciler
	MachineSetTopology        = controllers.MachineSetTopologyReconciler
)

// KubeadmConfig returns the controller of KubeadmConfigs.
func KubeadmConfig(c, secrets client.Client, _ client.Reader, clusters clustercache.ClusterCache, tokenTTL time.Duration) *bootstrap.KubeadmConfigReconciler {
	return &bootstrap.KubeadmConfigReconciler{Client: c, SecretCachingClient: secrets, ClusterCache: clusters, TokenTTL: tokenTTL}
}

// Transport returns the round tripper with which KubeadmControlPlane reaches etcd. This version is made for Kubernetes 0.35: it does not know the
// error by which 0.36 says that a server has no websockets, so it would not fall back to SPDY.
func Transport(next http.RoundTripper) http.RoundTripper { return olderErrors{next} }

type olderErrors struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (o olderErrors) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := o.next.RoundTrip(request)
	if newer.IsUpgradeFailure(err) {
		err = &httpstream.UpgradeFailureError{Cause: err}
	}
	return response, err
}

// AddDefaultIndexes adds the indexes of the controllers.
var AddDefaultIndexes = index.AddDefaultIndexes

// This version keeps the functions below in an internal package: they are copies.

// ManagerClientOptions are the options of the manager's client.
func ManagerClientOptions() client.Options {
	return client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{&corev1.ConfigMap{}, &corev1.Secret{}}, Unstructured: true}}
}

// CreateSecretCachingClient returns a client that reads the secrets of clusters from the cache.
func CreateSecretCachingClient(mgr ctrl.Manager) (client.Client, error) {
	return client.New(mgr.GetConfig(), client.Options{HTTPClient: mgr.GetHTTPClient(), Cache: &client.CacheOptions{Reader: mgr.GetCache()}})
}

// ClusterCacheCacheOptions are the options of the caches of workload clusters.
func ClusterCacheCacheOptions() clustercache.CacheOptions {
	return clustercache.CacheOptions{
		Indexes:  []clustercache.CacheOptionsIndex{clustercache.NodeProviderIDIndex},
		ByObject: map[client.Object]cache.ByObject{&corev1.Node{}: {Transform: cache.TransformStripManagedFields()}},
	}
}

// ClusterCacheClientOptions are the options of the clients of workload clusters.
func ClusterCacheClientOptions(controllerName string, qps float32, burst int) clustercache.ClientOptions {
	return clustercache.ClientOptions{
		QPS: qps, Burst: burst, UserAgent: remote.DefaultClusterAPIUserAgent(controllerName),
		Cache: clustercache.ClientCacheOptions{DisableFor: []client.Object{
			&corev1.ConfigMap{}, &corev1.Secret{}, &corev1.Pod{}, &appsv1.DaemonSet{}, &storagev1.VolumeAttachment{}, &corev1.PersistentVolume{},
		}},
	}
}
