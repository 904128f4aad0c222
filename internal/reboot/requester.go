package reboot

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/remedy"
)

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
