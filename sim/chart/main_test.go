package chart_test

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

const (
	root            = "../.."
	chartDir        = root + "/charts/sickbay"
	systemNamespace = "sickbay-system"
)

// A flag and not an environment variable, because a mistyped flag fails the test.
var helmBinary = flag.String("helm", "", "path of Helm")

// The kinds of the Prometheus operator. Their definitions are stand-ins, so the tests do not show that the chart fits the
// real ones.
var operatorKinds = []schema.GroupVersionKind{
	{Group: "monitoring.coreos.com", Version: "v1", Kind: "ServiceMonitor"}, {Group: "monitoring.coreos.com", Version: "v1", Kind: "PrometheusRule"},
}

func TestMain(m *testing.M) {
	var crds []*apiextensionsv1.CustomResourceDefinition
	for _, kind := range operatorKinds {
		crds = append(crds, env.AnythingGoes(kind))
	}
	env.Main(m, env.WithCRDs(crds...))
}

// needHelm skips a test if there is no Helm, and says how to get one.
func needHelm(t *testing.T) {
	t.Helper()
	if *helmBinary == "" {
		t.Skip("needs Helm: make test-operate builds it")
	}
}

// helm runs Helm against the API server and returns what it prints.
func helm(t *testing.T, args ...string) string {
	t.Helper()
	out, err := tryHelm(t, args...)
	if err != nil {
		t.Fatalf("helm %q: %v\n%s", args, err, out)
	}
	return out
}

func tryHelm(t *testing.T, args ...string) (string, error) {
	t.Helper()
	needHelm(t)
	cmd := exec.CommandContext(t.Context(), *helmBinary, args...)
	home := t.TempDir()
	cmd.Env = append(os.Environ(), "KUBECONFIG="+env.Kubeconfig(t, env.Get(t).Config, "robin", ""), "HELM_CACHE_HOME="+home, "HELM_CONFIG_HOME="+home, "HELM_DATA_HOME="+home)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return string(out) + stderr.String(), err
	}
	return string(out), nil
}

// render returns the objects that the chart renders from some values, written as for --set.
func render(t *testing.T, release, namespace string, values ...string) []*unstructured.Unstructured {
	t.Helper()
	args := []string{"template", release, chartDir, "--namespace", namespace, "--kube-version", "v1.36.3"}
	for _, value := range values {
		args = append(args, "--set-json", value)
	}
	return parse(t, helm(t, args...))
}

func parse(t *testing.T, text string) []*unstructured.Unstructured {
	t.Helper()
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewBufferString(text), 4096)
	var objects []*unstructured.Unstructured
	for {
		obj := &unstructured.Unstructured{}
		if err := decoder.Decode(&obj.Object); errors.Is(err, io.EOF) {
			return objects
		} else if err != nil {
			t.Fatalf("reading what Helm has rendered: %v", err)
		}
		if obj.Object != nil {
			objects = append(objects, obj)
		}
	}
}

// find returns the object with a kind and a name, and fails if there is none.
func find(t *testing.T, objects []*unstructured.Unstructured, kind, name string) *unstructured.Unstructured {
	t.Helper()
	for _, obj := range objects {
		if obj.GetKind() == kind && obj.GetName() == name {
			return obj
		}
	}
	t.Fatalf("there is no %s %s", kind, name)
	return nil
}
