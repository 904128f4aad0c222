package healthcheck_test

import (
	"slices"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
)

// A Widget is an object of an arbitrary kind: the engine needs no particular one.
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   WidgetSpec   `json:"spec,omitzero"`
	Status WidgetStatus `json:"status,omitzero"`
}

// WidgetSpec has a field whose change increases the generation.
type WidgetSpec struct {
	Size int `json:"size,omitempty"`
}

// WidgetStatus holds conditions of two kinds.
type WidgetStatus struct {
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	Findings   []Finding          `json:"findings,omitempty"`
}

// WidgetList is a list of Widgets.
type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`

	Items []Widget `json:"items"`
}

// GetConditions makes a Widget a healthcheck.Metav1Object.
func (w *Widget) GetConditions() []metav1.Condition { return w.Status.Conditions }

// DeepCopyObject implements runtime.Object.
func (w *Widget) DeepCopyObject() runtime.Object {
	c := *w
	w.ObjectMeta.DeepCopyInto(&c.ObjectMeta)
	c.Status.Conditions = slices.Clone(w.Status.Conditions)
	c.Status.Findings = slices.Clone(w.Status.Findings)
	return &c
}

// DeepCopyObject implements runtime.Object.
func (l *WidgetList) DeepCopyObject() runtime.Object {
	c := *l
	c.Items = make([]Widget, len(l.Items))
	for i := range l.Items {
		c.Items[i] = *l.Items[i].DeepCopyObject().(*Widget)
	}
	return &c
}

var widgetVersion = schema.GroupVersion{Group: "test.sickbay.dev", Version: "v1"}

func TestMain(m *testing.M) {
	env.Main(m, env.WithScheme(addWidget), env.WithCRDs(widgetCRD(), atomicWidgetCRD()))
}

func addWidget(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(widgetVersion, &Widget{}, &WidgetList{}, &AtomicWidget{}, &AtomicWidgetList{})
	metav1.AddToGroupVersion(scheme, widgetVersion)
	return nil
}

// widgetCRD defines Widgets, with conditions as the Kubernetes API conventions have them.
func widgetCRD() *apiextensionsv1.CustomResourceDefinition {
	text := apiextensionsv1.JSONSchemaProps{Type: "string", MinLength: new(int64(1))}
	condition := apiextensionsv1.JSONSchemaProps{
		Type:     "object",
		Required: []string{"type", "status", "reason", "lastTransitionTime"},
		Properties: map[string]apiextensionsv1.JSONSchemaProps{
			"type": text, "status": text, "reason": text, "lastTransitionTime": {Type: "string", Format: "date-time"},
			"message": {Type: "string", MaxLength: new(int64(32768))}, "observedGeneration": {Type: "integer"},
		},
	}
	anything := apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: new(true)}
	conditions := apiextensionsv1.JSONSchemaProps{
		Type: "array", XListType: new("map"), XListMapKeys: []string{"type"},
		Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &condition},
	}
	status := anything
	status.Properties = map[string]apiextensionsv1.JSONSchemaProps{"conditions": conditions}
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "widgets." + widgetVersion.Group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: widgetVersion.Group, Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Kind: "Widget", ListKind: "WidgetList", Singular: "widget", Plural: "widgets"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: widgetVersion.Version, Served: true, Storage: true,
				Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"spec": anything, "status": status},
				}},
			}},
		},
	}
}

// atomicWidgetCRD defines AtomicWidgets, whose conditions are a plain list.
func atomicWidgetCRD() *apiextensionsv1.CustomResourceDefinition {
	crd := widgetCRD()
	crd.Name = "atomicwidgets." + widgetVersion.Group
	crd.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{
		Kind: "AtomicWidget", ListKind: "AtomicWidgetList", Singular: "atomicwidget", Plural: "atomicwidgets",
	}
	status := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["status"]
	conditions := status.Properties["conditions"]
	conditions.XListType, conditions.XListMapKeys = nil, nil
	status.Properties["conditions"] = conditions
	return crd
}

// create stores a Widget in a namespace of its own.
func create(t *testing.T, e *env.Env) *Widget {
	t.Helper()
	widget := &Widget{ObjectMeta: metav1.ObjectMeta{Namespace: e.Namespace(t), Name: "w"}}
	if err := e.Client.Create(t.Context(), widget); err != nil {
		t.Fatal(err)
	}
	return widget
}

// read returns the Widget as it is stored now.
func read(t *testing.T, c client.Reader, widget *Widget) *Widget {
	t.Helper()
	live := &Widget{}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(widget), live); err != nil {
		t.Fatal(err)
	}
	return live
}
