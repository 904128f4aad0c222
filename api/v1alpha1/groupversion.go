package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the group and version of all kinds in this package.
var GroupVersion = schema.GroupVersion{Group: "sickbay.dev", Version: "v1alpha1"}

// AddToScheme adds the kinds of this package to a scheme. It returns only errors of the
// scheme. Like the scheme itself, it is not safe for concurrent use.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion,
		&MachineRemediation{}, &MachineRemediationList{},
		&MachineRemediationTemplate{}, &MachineRemediationTemplateList{},
		&RebootRemediation{}, &RebootRemediationList{},
		&RebootRemediationTemplate{}, &RebootRemediationTemplateList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
