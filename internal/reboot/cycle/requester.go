package cycle

import (
	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// RequesterOf is who asked for the cycle that a RebootRemediation makes; nil if that was not stored.
func RequesterOf(spec *v1alpha1.RebootRemediationSpec, status *v1alpha1.RebootRemediationStatus) *v1alpha1.RebootRequester {
	if status.RequestedBy != nil {
		return status.RequestedBy
	}
	return spec.RequestedBy
}

// ofRecord reports whether the cycle is an attempt of a record, which decides what follows. A person who asks by annotation, too,
// takes it over.
func (f *Facts) ofRecord() bool {
	by := RequesterOf(&f.Spec, &f.Status)
	return by.ForRecord() && (!f.Machine.ByAnnotation || (f.Machine.Operation == by.OperationID && f.Whole()))
}

// attempts are how many cycles there may be in all.
func (f *Facts) attempts() int32 {
	if f.ofRecord() {
		return 1
	}
	return f.Spec.Attempts()
}
