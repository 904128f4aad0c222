package reboot

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/remedy"
)

const (
	// ByAnnotation on a RebootRemediation tells that it was made for annotations of its Machine, and not
	// from a template.
	ByAnnotation = v1alpha1.ByAnnotation
	// Finalizer on a RebootRemediation keeps it until nothing of ours is left on its host.
	Finalizer = "sickbay.dev/reboot"
	// NodeFinalizer on a RebootRemediation keeps it until its Node is in service again, has what it had, or is given up; and for a
	// moment, if its host is marked and works again.
	NodeFinalizer = "sickbay.dev/reboot-node"
	// FieldOwner is the name under which hosts, Nodes and Machines are written.
	FieldOwner = "sickbay-reboot"
)

// longestName is how long the name of an object may be.
const longestName = 253

// askedPurpose is that of a RebootRemediation that is made for annotations of a Machine.
const askedPurpose = "asked"

// RequestNames are what a RebootRemediation of a Machine that has a purpose may be called. The second one is for one that follows while
// the one before, which was deleted, stays for its Node.
func RequestNames(machine metav1.Object, purpose string) []string {
	return []string{RequestName(machine, purpose), RequestName(machine, purpose+"-2")}
}

// RequestName names a RebootRemediation of a Machine that has a purpose of its own. It is not the name of the Machine: Cluster API's
// own controller deletes a request of that name as soon as the Machine is healthy, no matter who made it.
func RequestName(machine metav1.Object, purpose string) string {
	hash := fnv.New32a()
	hash.Write([]byte(machine.GetUID()))
	name, suffix := machine.GetName(), fmt.Sprintf("-%08x-%s", hash.Sum32(), purpose)
	if most := longestName - len(suffix); len(name) > most {
		name = strings.TrimRight(name[:most], "-.")
	}
	return name + suffix
}

func has(obj metav1.Object, annotation string) bool {
	_, ok := obj.GetAnnotations()[annotation]
	return ok
}

// requesterOn is who asks for a cycle by the annotations of a Machine.
func requesterOn(machine client.Object) *v1alpha1.RebootRequester {
	if remedy.RebootRequestedByHealthCheck(machine) {
		return &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByHealthCheck, OperationID: remedy.RebootOperation(machine)}
	}
	return &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByAnnotation}
}

// byHealthCheck reports whether a health check asks for the cycle of a RebootRemediation, and no person. By annotation either may
// write over what the other has asked for; what a person has asked for stays so. One that does not say who asked is of a health check
// if the Machine owns it: Cluster API sets that, and what a person makes by hand has no owner.
func byHealthCheck(request *v1alpha1.RebootRemediation, machine client.Object) bool {
	by := cycle.RequesterOf(&request.Spec, &request.Status)
	switch {
	case by != nil && (by.Kind == v1alpha1.RequestedByAnnotation || by.Kind == v1alpha1.RequestedByPerson):
		return false
	case has(request, ByAnnotation):
		return remedy.RebootRequestedByHealthCheck(machine)
	case by != nil:
		return true
	}
	return slices.ContainsFunc(request.OwnerReferences, func(ref metav1.OwnerReference) bool { return ref.UID == machine.GetUID() })
}
