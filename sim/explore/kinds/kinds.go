package kinds

import (
	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	configv1 "github.com/openshift/api/config/v1"
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
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
	MachinePool = clusterv1.GroupVersion.WithKind("MachinePool")
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
	// What shows that a cluster upgrades.
	ClusterVersion = configv1.GroupVersion.WithKind("ClusterVersion")
	Pool           = mcfgv1.GroupVersion.WithKind("MachineConfigPool")
	Deployment     = clusterv1.GroupVersion.WithKind("MachineDeployment")
	ControlPlane   = schema.GroupVersionKind{Group: "controlplane.cluster.x-k8s.io", Version: "v1beta2", Kind: "KubeadmControlPlane"}
	// The kinds of OpenShift's machines, which another controller looks after.
	OpenShiftCheck   = schema.GroupVersionKind{Group: "machine.openshift.io", Version: "v1beta1", Kind: "MachineHealthCheck"}
	OpenShiftMachine = schema.GroupVersionKind{Group: "machine.openshift.io", Version: "v1beta1", Kind: "Machine"}
)

// Cached are the kinds that the controllers watch.
var Cached = []schema.GroupVersionKind{
	Machine, Cluster, HealthCheck, Record, Plan, Node, Template, Request, Reboot, Host,
}

// Upgrades are the kinds that the controllers watch where something upgrades.
var Upgrades = []schema.GroupVersionKind{ClusterVersion, Pool, Deployment, ControlPlane, OpenShiftCheck, OpenShiftMachine}

// The names of what each world has one of.
const (
	Namespace   = "default"
	ClusterName = "cluster"
	CheckName   = "mhc"
	// SecondCheckName is the younger one's, where two select the same machines.
	SecondCheckName = "second"
)

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clusterv1.AddToScheme, corev1.AddToScheme, v1alpha1.AddToScheme, metal3v1.AddToScheme, configv1.Install, mcfgv1.Install} {
		if err := add(scheme); err != nil {
			panic(err) // the kinds of a scheme are fixed
		}
	}
	return scheme
}

// Scheme knows all kinds of the worlds.
var Scheme = newScheme()

// KeyOf returns the key of the object of that kind and name.
func KeyOf(kind schema.GroupVersionKind, name string) client.ObjectKey {
	switch kind {
	case Node, ClusterVersion, Pool:
		return client.ObjectKey{Name: name}
	}
	return InNamespace(name)
}

// InNamespace returns the key of an object in the worlds' namespace.
func InNamespace(name string) client.ObjectKey {
	return client.ObjectKey{Namespace: Namespace, Name: name}
}
