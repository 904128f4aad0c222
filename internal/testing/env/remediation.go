package env

import (
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// RemediationGroupVersion is the API of a remediation provider that exists only in tests.
var RemediationGroupVersion = schema.GroupVersion{Group: "remediation.example.dev", Version: "v1"}

// The kinds of that provider: a MachineHealthCheck's templateRef names a template, and one request
// is made from it for each sick machine.
const (
	RemediationKind         = "FixRemediation"
	RemediationTemplateKind = "FixRemediationTemplate"
)

func remediationCRDs() []*apiextensionsv1.CustomResourceDefinition {
	return []*apiextensionsv1.CustomResourceDefinition{
		remediationCRD(RemediationKind),
		remediationCRD(RemediationTemplateKind),
	}
}

func remediationCRD(kind string) *apiextensionsv1.CustomResourceDefinition {
	return AnythingGoes(RemediationGroupVersion.WithKind(kind))
}

// AnythingGoes defines a namespaced kind whose spec and status accept any field. It replaces the real definition where
// only the kind matters.
func AnythingGoes(kind schema.GroupVersionKind) *apiextensionsv1.CustomResourceDefinition {
	singular := strings.ToLower(kind.Kind)
	anything := apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: new(true)}
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: singular + "s." + kind.Group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: kind.Group,
			Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{
				Kind: kind.Kind, ListKind: kind.Kind + "List", Singular: singular, Plural: singular + "s",
			},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: kind.Version, Served: true, Storage: true,
				Subresources: &apiextensionsv1.CustomResourceSubresources{
					Status: &apiextensionsv1.CustomResourceSubresourceStatus{},
				},
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type:       "object",
					Properties: map[string]apiextensionsv1.JSONSchemaProps{"spec": anything, "status": anything},
				}},
			}},
		},
	}
}
