package cycle_test

import (
	"flag"
	"testing"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	machinev1 "github.com/openshift/api/machine/v1beta1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/sim/baremetal"
)

const openShiftMachines = "machine/v1beta1/zz_generated.crd-manifests/0000_10_machine-api_01_machines-Default.crd.yaml"

var metal3MachineKind = schema.GroupVersionKind{Group: "infrastructure.cluster.x-k8s.io", Version: "v1beta1", Kind: "Metal3Machine"}

func TestMain(m *testing.M) {
	flag.Parse()
	// The default is the number of processors, which suits tests that compute. These tests wait.
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	env.Main(m,
		env.WithScheme(metal3v1.AddToScheme, machinev1.Install, v1alpha1.AddToScheme),
		env.WithCRDFiles("config/crd/sickbay.dev_*.yaml"),
		env.WithModuleCRDs("github.com/openshift/api", openShiftMachines),
		env.WithCRDs(metal3MachineCRD()))
}

// server returns the API server with the baremetal-operator's kinds, too.
func server(t testing.TB) *env.Env {
	t.Helper()
	e := env.Get(t)
	if err := baremetal.InstallCRDs(e.Config); err != nil {
		t.Fatal(err)
	}
	return e
}

// metal3MachineCRD defines the parts of Metal3's infrastructure machine that matter: its name, and its
// host's name in an annotation.
func metal3MachineCRD() *apiextensionsv1.CustomResourceDefinition {
	anything := apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: new(true)}
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "metal3machines." + metal3MachineKind.Group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: metal3MachineKind.Group,
			Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{
				Kind: metal3MachineKind.Kind, ListKind: "Metal3MachineList", Singular: "metal3machine", Plural: "metal3machines",
			},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: metal3MachineKind.Version, Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"spec": anything},
				}},
			}},
		},
	}
}
