package config_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/sickbay-dev/sickbay/internal/app"
	"github.com/sickbay-dev/sickbay/internal/cli"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

const systemNamespace = "sickbay-system"

// installed tells that the manifests are applied; all tests of the package share the API server.
var installed sync.Once

// install applies all manifests. Unknown fields, fields of the wrong type and duplicates are refused.
func install(t *testing.T) *env.Env {
	t.Helper()
	e := env.Get(t)
	installed.Do(func() {
		for _, file := range []string{"manager/namespace.yaml", "rbac/*.yaml", "manager/*.yaml"} {
			for _, obj := range manifests(t, file) {
				apply(t, e, obj)
			}
		}
	})
	return e
}

func apply(t *testing.T, e *env.Env, obj *unstructured.Unstructured) {
	t.Helper()
	strict := client.WithFieldValidation(e.Client, metav1.FieldValidationStrict)
	err := strict.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(obj), client.FieldOwner("test"), client.ForceOwnership)
	if err != nil {
		t.Fatalf("applying %s %s: %v", obj.GetKind(), obj.GetName(), err)
	}
}

// manifests returns the objects in some files, without kustomizations, which are no objects.
func manifests(t *testing.T, pattern string) []*unstructured.Unstructured {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("finding %s: %d files, error %v", pattern, len(files), err)
	}
	var objects []*unstructured.Unstructured
	for _, file := range files {
		if filepath.Base(file) != "kustomization.yaml" {
			objects = append(objects, read(t, file)...)
		}
	}
	return objects
}

func read(t *testing.T, file string) []*unstructured.Unstructured {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096)
	var objects []*unstructured.Unstructured
	for {
		obj := &unstructured.Unstructured{}
		err := decoder.Decode(&obj.Object)
		if errors.Is(err, io.EOF) {
			return objects
		}
		if err != nil {
			t.Fatalf("reading %s: %v", file, err)
		}
		if obj.Object != nil {
			objects = append(objects, obj)
		}
	}
}

// TestManifestsAreTaken by an API server.
func TestManifestsAreTaken(t *testing.T) { install(t) }

// TestKustomizationsAreComplete: a file that is forgotten there is applied by this test, and by nobody else.
func TestKustomizationsAreComplete(t *testing.T) {
	for _, dir := range []string{"rbac", "manager"} {
		var listed struct{ Resources []string }
		data, err := os.ReadFile(filepath.Join(dir, "kustomization.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		if err := sigsyaml.Unmarshal(data, &listed); err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if name := filepath.Base(file); name != "kustomization.yaml" && !slices.Contains(listed.Resources, name) {
				t.Errorf("%s is not in the kustomization of its directory", file)
			}
		}
	}
}

// TestDeploymentFitsTheBinary: its flags exist, and its ports are those on which the manager listens.
func TestDeploymentFitsTheBinary(t *testing.T) {
	deployment := &appsv1.Deployment{}
	e := install(t)
	if err := e.Client.Get(t.Context(), client.ObjectKey{Namespace: systemNamespace, Name: "sickbay"}, deployment); err != nil {
		t.Fatal(err)
	}
	container := deployment.Spec.Template.Spec.Containers[0]
	var stderr bytes.Buffer
	if code := cli.Main(t.Context(), append(container.Args, "--help"), io.Discard, &stderr); code != 0 {
		t.Errorf("the arguments %q are refused: %s", container.Args, &stderr)
	}
	defaults := app.DefaultOptions()
	for name, address := range map[string]string{"metrics": defaults.MetricsBindAddress, "probes": defaults.HealthProbeBindAddress} {
		port := ""
		for _, p := range container.Ports {
			if p.Name == name {
				port = fmt.Sprintf(":%d", p.ContainerPort)
			}
		}
		if port != address {
			t.Errorf("port %s is %q, and the manager listens on %q", name, port, address)
		}
	}
}
