package checks_test

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A Site is a kind with conditions on the API server of the tests.
type Site struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Status SiteStatus `json:"status,omitzero"`
}

// SiteStatus follows the Kubernetes API conventions.
type SiteStatus struct {
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// SiteList is a list of Sites.
type SiteList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`

	Items []Site `json:"items"`
}

// GetConditions makes a Site a healthcheck.Metav1Object.
func (s *Site) GetConditions() []metav1.Condition { return s.Status.Conditions }

// DeepCopyObject implements runtime.Object.
func (s *Site) DeepCopyObject() runtime.Object {
	c := *s
	s.ObjectMeta.DeepCopyInto(&c.ObjectMeta)
	c.Status.Conditions = slices.Clone(s.Status.Conditions)
	return &c
}

// DeepCopyObject implements runtime.Object.
func (l *SiteList) DeepCopyObject() runtime.Object {
	c := *l
	c.Items = make([]Site, len(l.Items))
	for i := range l.Items {
		c.Items[i] = *l.Items[i].DeepCopyObject().(*Site)
	}
	return &c
}

var siteVersion = schema.GroupVersion{Group: "test.sickbay.dev", Version: "v1"}

func addSite(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(siteVersion, &Site{}, &SiteList{})
	metav1.AddToGroupVersion(scheme, siteVersion)
	return nil
}

func siteCRD() *apiextensionsv1.CustomResourceDefinition {
	text := apiextensionsv1.JSONSchemaProps{Type: "string"}
	condition := apiextensionsv1.JSONSchemaProps{Type: "object", Required: []string{"type"}, XPreserveUnknownFields: new(true),
		Properties: map[string]apiextensionsv1.JSONSchemaProps{"type": text}}
	status := apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"conditions": {
		Type: "array", XListType: new("map"), XListMapKeys: []string{"type"}, Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &condition},
	}}}
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "sites." + siteVersion.Group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: siteVersion.Group, Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Kind: "Site", ListKind: "SiteList", Singular: "site", Plural: "sites"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: siteVersion.Version, Served: true, Storage: true,
				Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"status": status},
				}},
			}},
		},
	}
}
