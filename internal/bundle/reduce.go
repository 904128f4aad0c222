package bundle

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
)

// reduce copies the parts of an object on which decisions depend. What it drops cannot leak.
func reduce(obj client.Object) client.Object {
	reduced := reducedSpec(obj)
	reduced.SetName(obj.GetName())
	reduced.SetNamespace(obj.GetNamespace())
	reduced.SetUID(obj.GetUID())
	reduced.SetResourceVersion(obj.GetResourceVersion())
	reduced.SetGeneration(obj.GetGeneration())
	reduced.SetCreationTimestamp(obj.GetCreationTimestamp())
	reduced.SetDeletionTimestamp(obj.GetDeletionTimestamp())
	reduced.SetLabels(maps.Clone(obj.GetLabels()))
	reduced.SetAnnotations(read(obj.GetAnnotations()))
	reduced.SetOwnerReferences(obj.GetOwnerReferences())
	reduced.SetFinalizers(obj.GetFinalizers())
	reduced.SetManagedFields(obj.GetManagedFields())
	_, _ = ownwrites.KeepOurManagedFields(reduced)
	return reduced
}

// reducedSpec returns an object of the same kind with the parts of spec and status to keep.
func reducedSpec(obj client.Object) client.Object {
	switch obj := obj.(type) {
	case *clusterv1.Cluster:
		return &clusterv1.Cluster{
			Spec:   clusterv1.ClusterSpec{Paused: obj.Spec.Paused},
			Status: clusterv1.ClusterStatus{Conditions: obj.Status.Conditions, Initialization: obj.Status.Initialization, Deprecated: obj.Status.Deprecated},
		}
	case *clusterv1.Machine:
		machine := obj.DeepCopy()
		machine.Spec.Bootstrap, machine.Spec.ProviderID, machine.Spec.Taints = clusterv1.Bootstrap{}, "", nil
		machine.Status.Addresses, machine.Status.NodeInfo, machine.Status.CertificatesExpiryDate = nil, nil, metav1.Time{}
		return machine
	case *clusterv1.MachineSet:
		return &clusterv1.MachineSet{Spec: clusterv1.MachineSetSpec{Replicas: obj.Spec.Replicas}}
	case *clusterv1.MachineDeployment:
		reduced := &clusterv1.MachineDeployment{Spec: clusterv1.MachineDeploymentSpec{Replicas: obj.Spec.Replicas, Paused: obj.Spec.Paused, Remediation: obj.Spec.Remediation}}
		reduced.Spec.Rollout.Strategy.Type = obj.Spec.Rollout.Strategy.Type
		return reduced
	case *metal3v1.BareMetalHost:
		return machinehealth.KeepHost(obj)
	case *clusterv1.MachineHealthCheck, *v1alpha1.MachineRemediation, *v1alpha1.MachineRemediationTemplate, *v1alpha1.RebootRemediation:
		return obj.DeepCopyObject().(client.Object)
	case *metav1.PartialObjectMetadata:
		return &metav1.PartialObjectMetadata{TypeMeta: obj.TypeMeta}
	}
	return foreign(obj)
}

// foreign returns the parts to keep of kinds that we do not define: the replicas of an owner, and the conditions of a request.
func foreign(obj client.Object) client.Object {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	from, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return u
	}
	u.SetGroupVersionKind(from.GroupVersionKind())
	for _, path := range [][]string{{"spec", "replicas"}, {"status", "conditions"}} {
		if value, found, err := unstructured.NestedFieldCopy(from.Object, path...); found && err == nil {
			_ = unstructured.SetNestedField(u.Object, value, path...)
		}
	}
	return u
}

// domains are the domains of annotations that Sickbay reads. Others may hold anything, and are dropped. Annotations with JSON
// documents may copy whole objects, so they keep their key but lose their value.
var domains = []string{"sickbay.dev", "cluster.x-k8s.io", "clusters.x-k8s.io", "metal3.io", "openshift.io"}

// read returns the annotations that Sickbay reads.
func read(annotations map[string]string) map[string]string {
	all := maps.Clone(annotations)
	maps.DeleteFunc(all, func(key, _ string) bool {
		domain, name, _ := strings.Cut(key, "/")
		ours := func(d string) bool { return domain == d || strings.HasSuffix(domain, "."+d) }
		return !slices.ContainsFunc(domains, ours) || strings.HasPrefix(name, "last-applied")
	})
	for key, value := range all {
		if isDocument(key, value) {
			all[key] = ""
		}
	}
	return all
}

// isDocument reports whether an annotation's value is a JSON object or list that Sickbay does not read.
func isDocument(key, value string) bool {
	domain, _, _ := strings.Cut(key, "/")
	text := strings.TrimSpace(value)
	return domain != "sickbay.dev" && domain != "reboot.metal3.io" && (strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")) && json.Valid([]byte(text))
}
