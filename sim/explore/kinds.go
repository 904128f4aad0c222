package explore

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/explore/apimodel"
)

// The kinds of a world.
var (
	machineKind     = clusterv1.GroupVersion.WithKind("Machine")
	machineSetKind  = clusterv1.GroupVersion.WithKind("MachineSet")
	clusterKind     = clusterv1.GroupVersion.WithKind("Cluster")
	healthCheckKind = clusterv1.GroupVersion.WithKind("MachineHealthCheck")
	recordKind      = v1alpha1.GroupVersion.WithKind("MachineRemediation")
	planKind        = v1alpha1.GroupVersion.WithKind("MachineRemediationTemplate")
	rebootKind      = v1alpha1.GroupVersion.WithKind("RebootRemediation")
	nodeKind        = corev1.SchemeGroupVersion.WithKind("Node")
	requestKind     = schema.GroupVersionKind{Group: "remediation.example.dev", Version: "v1", Kind: "FixRemediation"}
	templateKind    = schema.GroupVersionKind{Group: "remediation.example.dev", Version: "v1", Kind: "FixRemediationTemplate"}
)

// cachedKinds are those that the controllers watch.
var cachedKinds = []schema.GroupVersionKind{
	machineKind, clusterKind, healthCheckKind, recordKind, planKind, nodeKind, templateKind, requestKind, rebootKind,
}

const (
	namespace   = "default"
	clusterName = "cluster"
	checkName   = "mhc"
)

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clusterv1.AddToScheme, corev1.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			panic(err) // the kinds of a scheme are fixed
		}
	}
	return scheme
}

var scheme = newScheme()

func inNamespace(name string) client.ObjectKey {
	return client.ObjectKey{Namespace: namespace, Name: name}
}

// as returns an object as its type; nil if there is none.
func as[T client.Object](obj *apimodel.Object) T {
	var none T
	if obj == nil {
		return none
	}
	return obj.Typed().(T)
}

// latest returns an object as it is now; nil if there is none. It is shared.
func latest[T client.Object](w *world, kind schema.GroupVersionKind, name string) T {
	key := inNamespace(name)
	if kind == nodeKind {
		key.Namespace = ""
	}
	return as[T](w.server.Latest(kind, key))
}

// every returns all objects of a kind as they are now. They are shared.
func every[T client.Object](w *world, kind schema.GroupVersionKind) []T {
	var list []T
	for _, obj := range w.server.All(kind) {
		list = append(list, obj.Typed().(T))
	}
	return list
}
