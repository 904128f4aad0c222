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
	"k8s.io/apimachinery/pkg/runtime"
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
		for _, file := range []string{"crd/*.yaml", "install/sickbay.yaml", "install/upgradepause.yaml"} {
			for _, obj := range manifests(t, file) {
				apply(t, e, obj)
			}
		}
		settled(t, e)
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
	for _, dir := range []string{"crd"} {
		listed := kustomization(t, dir)
		for _, name := range listed {
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				t.Errorf("the kustomization of %s has %s: %v", dir, name, err)
			}
		}
		files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if name := filepath.Base(file); name != "kustomization.yaml" && !slices.Contains(listed, name) {
				t.Errorf("%s is not in the kustomization of its directory", file)
			}
		}
	}
}

// kustomization returns the files and directories that one is made of. Anything else in it would
// not be tested.
func kustomization(t *testing.T, dir string) []string {
	t.Helper()
	var listed struct {
		metav1.TypeMeta
		Resources []string
		Patches   []struct{ Path string }
	}
	data, err := os.ReadFile(filepath.Join(dir, "kustomization.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := sigsyaml.UnmarshalStrict(data, &listed); err != nil {
		t.Fatal(err)
	}
	for _, patch := range listed.Patches {
		listed.Resources = append(listed.Resources, patch.Path)
	}
	return listed.Resources
}

// TestDeploymentsFitTheBinary: their flags exist, their ports are those on which the manager listens, and the
// accounts are those whose permissions are tested.
func TestDeploymentsFitTheBinary(t *testing.T) {
	install(t)
	for runsAs, file := range map[account]string{
		sickbay: "install/sickbay.yaml", upgradePauseAlone: "install/upgradepause.yaml",
	} {
		t.Run(string(runsAs), func(t *testing.T) {
			checkDeployment(t, one(t, file, "Deployment", string(runsAs)), runsAs)
		})
	}
}

// one returns an object of a file.
func one(t *testing.T, file, kind, name string) *unstructured.Unstructured {
	t.Helper()
	for _, obj := range read(t, file) {
		if obj.GetKind() == kind && obj.GetName() == name {
			return obj
		}
	}
	t.Fatalf("%s has no %s %s", file, kind, name)
	return nil
}

func checkDeployment(t *testing.T, stored *unstructured.Unstructured, runsAs account) {
	t.Helper()
	deployment := &appsv1.Deployment{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(stored.Object, deployment); err != nil {
		t.Fatal(err)
	}
	pod := deployment.Spec.Template.Spec
	if pod.ServiceAccountName != string(runsAs) {
		t.Errorf("it runs as %s, want %s", pod.ServiceAccountName, runsAs)
	}
	var stderr bytes.Buffer
	if code := cli.Main(t.Context(), append(pod.Containers[0].Args, "--help"), io.Discard, &stderr); code != 0 {
		t.Errorf("the arguments %q are refused: %s", pod.Containers[0].Args, &stderr)
	}
	if alone := slices.Contains(pod.Containers[0].Args, "--controllers=upgradepause"); alone != (runsAs == upgradePauseAlone) {
		t.Errorf("the arguments %q are not those of %s", pod.Containers[0].Args, runsAs)
	}
	defaults := app.DefaultOptions()
	for name, address := range map[string]string{"metrics": defaults.MetricsBindAddress, "probes": defaults.HealthProbeBindAddress} {
		port := ""
		for _, p := range pod.Containers[0].Ports {
			if p.Name == name {
				port = fmt.Sprintf(":%d", p.ContainerPort)
			}
		}
		if port != address {
			t.Errorf("port %s is %q, and the manager listens on %q", name, port, address)
		}
	}
}
