// Package v1 has the kind Database, as kubebuilder makes one.
//
// +kubebuilder:object:generate=true
// +groupName=example.com
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is that of the kinds in this package.
var GroupVersion = schema.GroupVersion{Group: "example.com", Version: "v1"}

// AddToScheme makes the kinds known to a scheme.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &Database{}, &DatabaseList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
