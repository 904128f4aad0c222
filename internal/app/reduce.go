package app

import (
	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	configv1 "github.com/openshift/api/config/v1"
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/hangs"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// reduce drops unused fields of an object on its way into the cache. Use cached objects only for patches of single fields: an update would remove
// everything that was dropped.
func reduce(obj any) (any, error) {
	switch o := obj.(type) {
	case *metal3v1.BareMetalHost:
		return machinehealth.KeepHost(o), nil
	case *clusterv1.Machine:
		reduceMachine(o)
	case *clusterv1.Cluster:
		reduceCluster(o)
	case *clusterv1.MachineHealthCheck:
		emptyCopies(o)
	case *configv1.ClusterVersion, *mcfgv1.MachineConfigPool, *clusterv1.MachineDeployment, *corev1.Node, *unstructured.Unstructured:
		return pause.Trim(o), nil // only upgradepause reads them from this cache
	}
	return ownwrites.KeepOurManagedFields(obj)
}

// reduceForPauses reduces Machines further if nobody but upgradepause reads them: to a third of the memory.
func reduceForPauses(obj any) (any, error) {
	if machine, ok := obj.(*clusterv1.Machine); ok {
		return pause.Trim(machine), nil
	}
	return reduce(obj)
}

// reduceMachine keeps all conditions, since patches refer to them by index. Of those from before v1beta2 it keeps what explains a deletion or a start.
//
//nolint:staticcheck // Providers still fill the deprecated fields.
func reduceMachine(machine *clusterv1.Machine) {
	emptyCopies(machine)
	machine.Spec.Bootstrap, machine.Spec.ProviderID, machine.Spec.ReadinessGates, machine.Spec.Taints = clusterv1.Bootstrap{}, "", nil, nil
	s := &machine.Status
	s.NodeInfo, s.Addresses, s.CertificatesExpiryDate = pause.NodeInfo(machine), nil, metav1.Time{}
	if s.Deprecated != nil && s.Deprecated.V1Beta1 != nil {
		s.Deprecated.V1Beta1.Conditions = hangs.Older(machine)
	}
}

// reduceCluster keeps only the class and the version of a topology. Its variables can be a hundred times as large as the rest.
//
//nolint:staticcheck // Providers still fill the deprecated fields.
func reduceCluster(cluster *clusterv1.Cluster) {
	emptyCopies(cluster)
	t := &cluster.Spec.Topology
	*t = clusterv1.Topology{ClassRef: t.ClassRef, Version: t.Version}
	cluster.Status.FailureDomains = nil
	if cluster.Status.Deprecated != nil && cluster.Status.Deprecated.V1Beta1 != nil {
		cluster.Status.Deprecated.V1Beta1.Conditions = nil
	}
}

// copies are the annotations that contain a copy of the whole object.
var copies = []string{"kubectl.kubernetes.io/last-applied-configuration", "cluster.x-k8s.io/conversion-data"}

// emptyCopies empties these annotations, but does not remove them.
func emptyCopies(obj client.Object) {
	annotations := obj.GetAnnotations()
	for _, key := range copies {
		if _, there := annotations[key]; there {
			annotations[key] = ""
		}
	}
}
