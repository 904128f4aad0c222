package world

import (
	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	storagev1 "k8s.io/api/storage/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	bootstrapv1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"
	controlplanev1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	runtimev1 "sigs.k8s.io/cluster-api/api/runtime/v1beta2"
	infrav1 "sigs.k8s.io/cluster-api/test/infrastructure/docker/api/v1beta2"
	cloudv1 "sigs.k8s.io/cluster-api/test/infrastructure/inmemory/pkg/cloud/api/v1alpha1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// NewScheme returns a scheme with all kinds of the management cluster: Kubernetes' own, CRDs,
// Cluster API's core, kubeadm and development infrastructure in v1beta2, hosts, and Sickbay's own.
func NewScheme() *runtime.Scheme {
	return schemeOf(
		clientgoscheme.AddToScheme,
		apiextensionsv1.AddToScheme,
		clusterv1.AddToScheme,
		bootstrapv1.AddToScheme,
		controlplanev1.AddToScheme,
		runtimev1.AddToScheme,
		infrav1.AddToScheme,
		metal3v1.AddToScheme,
		v1alpha1.AddToScheme,
	)
}

// workloadScheme returns the kinds that the in-memory API servers of the workload clusters know.
func workloadScheme() *runtime.Scheme {
	return schemeOf(
		cloudv1.AddToScheme,
		corev1.AddToScheme,
		appsv1.AddToScheme,
		rbacv1.AddToScheme,
		storagev1.AddToScheme,
		apiextensionsv1.AddToScheme,
		policyv1.AddToScheme,
	)
}

func schemeOf(adders ...func(*runtime.Scheme) error) *runtime.Scheme {
	scheme := runtime.NewScheme()
	for _, add := range adders {
		utilruntime.Must(add(scheme))
	}
	return scheme
}
