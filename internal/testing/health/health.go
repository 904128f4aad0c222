// Package health asks the programs of others how an object is doing, as they ask when somebody waits for it.
package health

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

// KStatus returns the answer of kstatus, with its reason if it has one: Current, InProgress NoSlot, Failed InvalidRule.
func KStatus(t testing.TB, obj runtime.Object) string {
	t.Helper()
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		t.Fatal(err)
	}
	result, err := status.Compute(&unstructured.Unstructured{Object: fields})
	if err != nil {
		t.Fatal(err)
	}
	answer := []string{result.Status.String()}
	for _, c := range result.Conditions {
		answer = append(answer, c.Reason)
	}
	return strings.Join(answer, " ")
}

// Stored returns an object as the API server returns it now, with whatever our types leave out.
func Stored(t testing.TB, c client.Client, obj client.Object) *unstructured.Unstructured {
	t.Helper()
	gvk, err := c.GroupVersionKindFor(obj)
	if err != nil {
		t.Fatal(err)
	}
	stored := &unstructured.Unstructured{}
	stored.SetGroupVersionKind(gvk)
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(obj), stored); err != nil {
		t.Fatal(err)
	}
	return stored
}

// Sample asserts that the test data of Argo CD's script for the kind of a stored object have it as it is, with names and times that do not change.
// With the flag -update, the test writes it there instead.
func Sample(t testing.TB, stored *unstructured.Unstructured, name string) {
	t.Helper()
	sample := stored.DeepCopy()
	sample.Object["metadata"] = map[string]any{"namespace": "fleet", "name": "sample", "generation": stored.GetGeneration()}
	text, err := yaml.Marshal(sample.Object)
	if err != nil {
		t.Fatal(err)
	}
	text = anyTime.ReplaceAll(text, []byte("2026-01-01T12:00:00Z"))
	text = anyUID.ReplaceAll(text, []byte("6f1c9d1e-0000-4000-8000-000000000001"))
	gvk := stored.GroupVersionKind()
	docs.File(t, filepath.Join(scripts(t), gvk.Group, gvk.Kind, "testdata", name+".yaml"), string(text))
}

// scripts returns the directory of the scripts, from that of any package.
func scripts(t testing.TB) string {
	t.Helper()
	for dir := "."; len(dir) < 30; dir = filepath.Join("..", dir) {
		if _, err := os.Stat(filepath.Join(dir, "config/argocd")); err == nil {
			return filepath.Join(dir, "config/argocd")
		}
	}
	t.Fatal("there is no config/argocd above the working directory")
	return ""
}

var (
	anyTime = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
	anyUID  = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
)

// Is asserts what kstatus answers about an object as it is stored now and, if sample is not empty, that it is the sample of that name.
func Is(t testing.TB, c client.Client, obj client.Object, want, sample string) {
	t.Helper()
	stored := Stored(t, c, obj)
	if got := KStatus(t, stored); got != want {
		t.Errorf("kstatus answers %q, want %q", got, want)
	}
	if sample != "" {
		Sample(t, stored, sample)
	}
}
