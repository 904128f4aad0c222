package chart_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/machinehealthcheck/adoption"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/page"
)

// TestGitOpsPage follows docs/operations/gitops.md: Argo CD's configuration keeps what it has and gets the scripts, and a program that applies a
// MachineHealthCheck again as Cluster API's topology controller and Flux do leaves the annotation alone.
func TestGitOpsPage(t *testing.T) {
	e := env.Get(t)
	ns := func(name string) *corev1.Namespace {
		return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	}
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "argocd-cm"}, Data: map[string]string{"url": "https://argocd.example.com"}}
	build.Create(t.Context(), t, e.Client, ns("blue"), ns("argocd"), config, build.Cluster("blue", "blue"))
	appliers := map[string]string{"workers": "kustomize-controller", "topology": "capi-topology"}
	for name, by := range appliers {
		check := applyCheck(t, e.Client, name, by)
		t.Cleanup(func() { _ = e.Client.Delete(context.Background(), check) })
	}
	t.Cleanup(func() { _ = e.Client.Delete(context.Background(), build.Cluster("blue", "blue")) })
	assets, err := filepath.Abs(os.Getenv("KUBEBUILDER_ASSETS"))
	if err != nil {
		t.Fatal(err)
	}
	page.Shell{Dir: root, Tools: []string{assets}, Env: []string{"KUBECONFIG=" + env.Kubeconfig(t, e.Config, "robin", "")}, Timeout: time.Minute}.Follow(t, root+"/docs/operations/gitops.md")

	if err := e.Client.Get(t.Context(), client.ObjectKeyFromObject(config), config); err != nil || len(config.Data) != 5 {
		t.Errorf("Argo CD has the settings %v, error %v", config.Data, err)
	}
	adopt(t, e)
	for name, by := range appliers {
		for deadline := time.Now().Add(time.Minute); ; {
			if applyCheck(t, e.Client, name, by).GetAnnotations()[clusterv1.PausedAnnotation] == "sickbay" {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s is not handed over", name)
			}
		}
		if got := applyCheck(t, e.Client, name, by).GetAnnotations()[clusterv1.PausedAnnotation]; got != "sickbay" {
			t.Errorf("once %s is applied again, its annotation is %q", name, got)
		}
	}
}

// adopt runs the controller that carries out the label.
func adopt(t *testing.T, e *env.Env) {
	t.Helper()
	e.Manager(t, env.ManagerOptions{Namespaces: []string{"blue"}, Setup: func(mgr ctrl.Manager) error {
		if err := mhcspec.AddIndexes(t.Context(), mgr.GetFieldIndexer()); err != nil {
			return err
		}
		return (&adoption.Reconciler{Policy: mhcspec.Policy{Adopt: mhcspec.AdoptHandedOver}, Concurrency: 1}).AddToManager(t.Context(), mgr)
	}})
}

// applyCheck applies a MachineHealthCheck without annotations, and returns it as it is then.
func applyCheck(t *testing.T, c client.Client, name, by string) *unstructured.Unstructured {
	t.Helper()
	check := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{
		"clusterName": "blue", "selector": map[string]any{"matchLabels": map[string]any{"pool": name}},
	}}}
	check.SetGroupVersionKind(clusterv1.GroupVersion.WithKind("MachineHealthCheck"))
	check.SetNamespace("blue")
	check.SetName(name)
	if by == "capi-topology" {
		check.SetLabels(map[string]string{clusterv1.ClusterTopologyOwnedLabel: ""})
	}
	if err := c.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(check), client.FieldOwner(by), client.ForceOwnership); err != nil {
		t.Fatal(err)
	}
	return check
}
