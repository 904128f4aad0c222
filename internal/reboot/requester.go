package reboot

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remedy"
)

// requesterOf is who asked for the cycle that a RebootRemediation makes; nil if that was not stored.
func requesterOf(spec *v1alpha1.RebootRemediationSpec, status *v1alpha1.RebootRemediationStatus) *v1alpha1.RebootRequester {
	if status.RequestedBy != nil {
		return status.RequestedBy
	}
	return spec.RequestedBy
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
	by := requesterOf(&request.Spec, &request.Status)
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

// ofRecord reports whether the cycle is an attempt of a record, which decides what follows. A person who asks by annotation, too,
// takes it over.
func (f *Facts) ofRecord() bool {
	by := requesterOf(&f.Spec, &f.Status)
	return by.ForRecord() && (!f.Machine.ByAnnotation || (f.Machine.Operation == by.OperationID && f.whole()))
}

// attempts are how many cycles there may be in all.
func (f *Facts) attempts() int32 {
	if f.ofRecord() {
		return 1
	}
	return f.Spec.Attempts()
}
