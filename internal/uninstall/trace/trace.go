package trace

import (
	"slices"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	machinev1 "github.com/openshift/api/machine/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
)

// Options say what else to remove.
type Options struct {
	// Annotations removes the annotations by which people configured Sickbay, too.
	Annotations bool
}

// Finding is something of Sickbay's on an object, and the one write that removes it.
type Finding struct {
	// What describes it for people: "condition HealthCheckSucceeded".
	What []string
	// Patch is a JSON patch; nil if the object is to be deleted.
	Patch ownwrites.JSONPatch
	// Status reports whether the patch is for the status subresource.
	Status bool
}

// Deletes reports whether the whole object is Sickbay's.
func (f Finding) Deletes() bool { return f.Patch == nil }

// Object is what was found on one object.
type Object struct {
	// Ours are the findings, in the order of removal.
	Ours []Finding
	// Yours is what a person wrote and what stays.
	Yours []string
}

func (o *Object) add(f Finding) {
	if len(f.What) > 0 {
		o.Ours = append(o.Ours, f)
	}
}

// What returns everything of Sickbay's on the object.
func (o *Object) What() (all []string) {
	for _, f := range o.Ours {
		all = append(all, f.What...)
	}
	return all
}

// The kinds that Sickbay writes to.
var (
	Hosts             = metal3v1.GroupVersion.WithKind("BareMetalHost")
	Machines          = clusterv1.GroupVersion.WithKind("Machine")
	OpenShiftMachines = machinev1.GroupVersion.WithKind("Machine")
	Checks            = clusterv1.GroupVersion.WithKind("MachineHealthCheck")
	OpenShiftChecks   = machinev1.GroupVersion.WithKind("MachineHealthCheck")
	Clusters          = clusterv1.GroupVersion.WithKind("Cluster")
	Records           = v1alpha1.GroupVersion.WithKind("MachineRemediation")
	Plans             = v1alpha1.GroupVersion.WithKind("MachineRemediationTemplate")
	Reboots           = v1alpha1.GroupVersion.WithKind("RebootRemediation")
	RebootTemplates   = v1alpha1.GroupVersion.WithKind("RebootRemediationTemplate")
	// Nodes are in workload clusters.
	Nodes = corev1.SchemeGroupVersion.WithKind("Node")
)

// Of finds what is Sickbay's on an object of these kinds, or on one that may be a request of ours.
func Of(obj *unstructured.Unstructured, o Options) (found Object) {
	switch kind := obj.GroupVersionKind(); kind {
	case Records, Reboots:
		return own(obj)
	case Machines, OpenShiftMachines, Checks, OpenShiftChecks, Clusters, Hosts, Plans, RebootTemplates:
		changes(obj, kind, &found, o)
	case Nodes:
		// The reboot package puts a Node back in service, since only the record of a cycle says what the Node
		// had.
	default:
		if !requested(obj) {
			return found
		}
		found.add(deletion(obj))
	}
	if len(found.Ours) == 0 || !found.Ours[0].Deletes() {
		found.add(managers(obj))
	}
	return found
}

// changes finds what is ours on an object that is not ours.
func changes(obj *unstructured.Unstructured, kind schema.GroupVersionKind, found *Object, o Options) {
	switch kind {
	case Hosts:
		found.add(keysOf(obj))
		found.add(unhealthyMarks(obj))
	case Machines, OpenShiftMachines:
		found.add(statusOf(obj))
		found.add(rebootShown(obj))
	case Checks, OpenShiftChecks:
		found.add(statusOf(obj))
		found.add(pause(obj, o, &found.Yours))
		found.add(metadataOf(obj))
		namesPlan(obj, &found.Yours)
	case Plans:
		found.add(statusOf(obj))
		found.Yours = append(found.Yours, "the plan")
	case RebootTemplates:
		found.Yours = append(found.Yours, "the template")
	}
	found.add(annotations(obj, o, &found.Yours))
}

// own handles an object of a Sickbay kind that nobody needs any more.
func own(obj *unstructured.Unstructured) (found Object) {
	if obj.GetDeletionTimestamp() == nil {
		found.add(deletion(obj))
		return found
	}
	found.add(finalizer(obj))
	return found
}

func deletion(obj *unstructured.Unstructured) Finding {
	if obj.GetDeletionTimestamp() != nil {
		return Finding{}
	}
	return Finding{What: []string{"the whole object"}}
}

// finalizer removes our finalizers; others stay.
func finalizer(obj *unstructured.Unstructured) Finding {
	f := Finding{}
	ours := []string{v1alpha1.RemediationFinalizer, rebootFinalizer, rebootNodeFinalizer}
	for i, name := range slices.Backward(obj.GetFinalizers()) {
		if slices.Contains(ours, name) {
			f.takeItem("/metadata/finalizers", i, "", name)
			f.What = append(f.What, "finalizer "+name)
		}
	}
	slices.Reverse(f.What)
	return f.of(obj)
}

// requested reports whether an object is a request made by Sickbay.
func requested(obj *unstructured.Unstructured) bool {
	_, named := obj.GetAnnotations()[v1alpha1.OperationAnnotation]
	return named
}
