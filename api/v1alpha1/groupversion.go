package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is that of all kinds of this package.
var GroupVersion = schema.GroupVersion{Group: "sickbay.dev", Version: "v1alpha1"}

// AddToScheme adds the kinds of this package to a scheme. It returns no error but that of the
// scheme, and like all schemes must not be used by several goroutines while it is filled.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion,
		&MachineRemediation{}, &MachineRemediationList{},
		&MachineRemediationTemplate{}, &MachineRemediationTemplateList{},
		&RebootRemediation{}, &RebootRemediationList{},
		&RebootRemediationTemplate{}, &RebootRemediationTemplateList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
