package cli

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// TestMain silences the libraries' logs before any library runs.
func TestMain(m *testing.M) {
	silence()
	env.Main(m, env.WithScheme(v1alpha1.AddToScheme), env.WithScheme(metal3v1.AddToScheme),
		env.WithCRDs(env.AnythingGoes(metal3v1.GroupVersion.WithKind("BareMetalHost"))), env.WithCRDs(env.AnythingGoes(infrastructure)))
}

// documents splits the output of sickbay crds as kubectl does.
func documents(t *testing.T) [][]byte {
	t.Helper()
	got := offline(t, "crds")
	if got.code != exitOK || got.stderr != "" {
		t.Fatalf("exit code is %d: %s", got.code, got.stderr)
	}
	var all [][]byte
	for reader := utilyaml.NewYAMLReader(bufio.NewReader(strings.NewReader(got.stdout))); ; {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, document)
	}
}

// TestCRDs: the output has all of Sickbay's kinds.
func TestCRDs(t *testing.T) {
	var got []string
	for _, document := range documents(t) {
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict(document, crd); err != nil {
			t.Fatal(err)
		}
		got = append(got, crd.APIVersion+" "+crd.Kind+" "+crd.Spec.Names.Kind)
	}
	want := []string{
		"apiextensions.k8s.io/v1 CustomResourceDefinition MachineRemediation",
		"apiextensions.k8s.io/v1 CustomResourceDefinition MachineRemediationTemplate",
		"apiextensions.k8s.io/v1 CustomResourceDefinition RebootRemediation",
		"apiextensions.k8s.io/v1 CustomResourceDefinition RebootRemediationTemplate",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestCRDsApply applies the output twice to an API server without Sickbay's kinds. Then they can be used.
func TestCRDsApply(t *testing.T) {
	e := env.Get(t)
	install(t, e)
	for _, crd := range install(t, e) {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(crd.Spec.Names.ListKind))
		if err := e.Client.List(t.Context(), list, client.InNamespace(e.Namespace(t))); err != nil {
			t.Errorf("listing %s: %v", crd.Spec.Names.Plural, err)
		}
	}
}

// install installs Sickbay's kinds.
func install(t *testing.T, e *env.Env) []*apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	var crds []*apiextensionsv1.CustomResourceDefinition
	for _, document := range documents(t) {
		crds = append(crds, apply(t, e, document))
	}
	if err := envtest.WaitForCRDs(e.Config, crds, envtest.CRDInstallOptions{MaxTime: time.Minute, PollInterval: 100 * time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	return crds
}

// apply does what kubectl apply does on the server.
func apply(t *testing.T, e *env.Env, document []byte) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	object, crd := &unstructured.Unstructured{}, &apiextensionsv1.CustomResourceDefinition{}
	if err := errors.Join(yaml.Unmarshal(document, &object.Object), yaml.UnmarshalStrict(document, crd)); err != nil {
		t.Fatal(err)
	}
	if err := e.Client.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(object), client.FieldOwner("kubectl")); err != nil {
		t.Fatalf("applying %s: %v", crd.Name, err)
	}
	return crd
}

// broken is a pipe that nobody reads any more.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestCRDsIntoABrokenPipe(t *testing.T) {
	var stderr bytes.Buffer
	if code := Main(t.Context(), []string{"crds"}, broken{}, &stderr); code != exitFailure {
		t.Errorf("exit code is %d, want %d", code, exitFailure)
	}
	if want := "sickbay: printing the definitions: io: read/write on closed pipe\n"; stderr.String() != want {
		t.Errorf("said %q, want %q", &stderr, want)
	}
}
