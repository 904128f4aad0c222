package reboot

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
)

const (
	// ByAnnotation on a RebootRemediation says that it was made for annotations of its Machine, and not from a template.
	ByAnnotation = v1alpha1.ByAnnotation
	// FieldOwner is the field manager for writes to hosts, Nodes and Machines.
	FieldOwner = "sickbay-reboot"
)

// longestName is the maximum length of an object's name.
const longestName = 253

// askedPurpose is the purpose of a RebootRemediation that is made for annotations of a Machine.
const askedPurpose = "asked"

// RequestNames returns the names that a RebootRemediation of a Machine with a purpose may have. The second name is for the next one, if
// the first was deleted and still stays for its Node.
func RequestNames(machine metav1.Object, purpose string) []string {
	return []string{RequestName(machine, purpose), RequestName(machine, purpose+"-2")}
}

// RequestName returns the name of a RebootRemediation of a Machine with a purpose. It differs from the name of the Machine, because
// Cluster API's own controller deletes any request of that name when the Machine is healthy, whoever made it.
func RequestName(machine metav1.Object, purpose string) string {
	return ownwrites.Name(machine.GetName(), machine.GetUID(), purpose, longestName)
}

// byHealthCheck reports whether a health check or a record, and not a person, asks for the cycle of a RebootRemediation. If it does not say
// who asked, a health check did if the Machine owns it: Cluster API sets an owner, and people do not.
func byHealthCheck(request *v1alpha1.RebootRemediation, machine client.Object) bool {
	if by := request.Spec.RequestedBy; by != nil {
		return by.Kind != v1alpha1.RequestedByAnnotation && by.Kind != v1alpha1.RequestedByPerson && by.Person == ""
	}
	return slices.ContainsFunc(request.OwnerReferences, func(ref metav1.OwnerReference) bool { return ref.UID == machine.GetUID() })
}

// OfOpenShift reports whether a RebootRemediation is about a Machine of OpenShift.
func OfOpenShift(request *v1alpha1.RebootRemediation) bool {
	return referenceOf(request).APIGroup == OpenShiftKind.Group
}
