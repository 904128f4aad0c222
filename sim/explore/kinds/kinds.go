package kinds

import (
	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// The kinds of a small world.
var (
	Machine     = clusterv1.GroupVersion.WithKind("Machine")
	MachineSet  = clusterv1.GroupVersion.WithKind("MachineSet")
	Cluster     = clusterv1.GroupVersion.WithKind("Cluster")
	HealthCheck = clusterv1.GroupVersion.WithKind("MachineHealthCheck")
	Record      = v1alpha1.GroupVersion.WithKind("MachineRemediation")
	Plan        = v1alpha1.GroupVersion.WithKind("MachineRemediationTemplate")
	Reboot      = v1alpha1.GroupVersion.WithKind("RebootRemediation")
	Node        = corev1.SchemeGroupVersion.WithKind("Node")
	Request     = schema.GroupVersionKind{Group: "remediation.example.dev", Version: "v1", Kind: "FixRemediation"}
	Host        = metal3v1.GroupVersion.WithKind("BareMetalHost")
	// Infrastructure is the kind of the machines of Metal3.
	Infrastructure = schema.GroupVersionKind{Group: "infrastructure.cluster.x-k8s.io", Version: "v1beta2", Kind: "Metal3Machine"}
	Template       = schema.GroupVersionKind{Group: "remediation.example.dev", Version: "v1", Kind: "FixRemediationTemplate"}
)

// Cached are the kinds that the controllers watch.
var Cached = []schema.GroupVersionKind{
	Machine, Cluster, HealthCheck, Record, Plan, Node, Template, Request, Reboot, Host,
}

// The names of what each world has one of.
const (
	Namespace   = "default"
	ClusterName = "cluster"
	CheckName   = "mhc"
)

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clusterv1.AddToScheme, corev1.AddToScheme, v1alpha1.AddToScheme, metal3v1.AddToScheme} {
		if err := add(scheme); err != nil {
			panic(err) // the kinds of a scheme are fixed
		}
	}
	return scheme
}

// Scheme knows all kinds of the worlds.
var Scheme = newScheme()

// InNamespace returns the key of an object in the worlds' namespace.
func InNamespace(name string) client.ObjectKey {
	return client.ObjectKey{Namespace: Namespace, Name: name}
}
