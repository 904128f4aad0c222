package chart_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// TestLifecycle installs the chart with Helm, upgrades it, rolls it back, and uninstalls it. Each time, exactly the objects exist that
// the chart renders from the values. At the end, only the definitions of Sickbay's kinds remain.
func TestLifecycle(t *testing.T) {
	needHelm(t)
	const release, namespace = "blue", "blue-system"
	e := env.Get(t)
	there := func() (names []string) {
		for _, obj := range parse(t, helm(t, "get", "manifest", release, "--namespace", namespace)) {
			if err := e.Client.Get(t.Context(), client.ObjectKeyFromObject(obj), obj.DeepCopy()); err != nil {
				t.Errorf("%s %s: %v", obj.GetKind(), obj.GetName(), err)
			}
			names = append(names, obj.GetKind()+" "+obj.GetName())
		}
		return names
	}
	helm(t, "install", release, chartDir, "--namespace", namespace, "--create-namespace")
	installed := there()
	pausesOnly := []string{"upgrade", release, chartDir, "--namespace", namespace, "--set", "controllers={upgradepause},dashboard.enabled=true"}
	helm(t, pausesOnly...)
	there()
	role := &rbacv1.ClusterRole{}
	gone := client.ObjectKey{Name: "blue-sickbay-manager-remediation"}
	if err := e.Client.Get(t.Context(), gone, role); !apierrors.IsNotFound(err) {
		t.Errorf("the rights of a controller that does not run any more are still there: %v", err)
	}
	helm(t, "rollback", release, "1", "--namespace", namespace)
	if diff := cmp.Diff(installed, there()); diff != "" {
		t.Errorf("after going back (-installed +back):\n%s", diff)
	}

	manifest := parse(t, helm(t, "get", "manifest", release, "--namespace", namespace))
	helm(t, "uninstall", release, "--namespace", namespace)
	for _, obj := range manifest {
		err := e.Client.Get(t.Context(), client.ObjectKeyFromObject(obj), obj.DeepCopy())
		if kept := obj.GetKind() == "CustomResourceDefinition"; kept != (err == nil) || client.IgnoreNotFound(err) != nil {
			t.Errorf("%s %s after the end: %v", obj.GetKind(), obj.GetName(), err)
		}
	}
	// A later release adopts the definitions that were left.
	helm(t, "install", release, chartDir, "--namespace", namespace, "--take-ownership")
	helm(t, "uninstall", release, "--namespace", namespace)
}

// TestNotes: what is said after an installation names the image that runs, not the version of the chart, which image.tag and image.digest override.
func TestNotes(t *testing.T) {
	said := helm(t, "install", "blue", chartDir, "--namespace", "blue-system", "--dry-run=client", "--set", "image.tag=v1.2.3")
	_, notes, _ := strings.Cut(said, "\nNOTES:\n")
	if first, _, _ := strings.Cut(notes, "\n"); !strings.Contains(first, ":v1.2.3) runs as blue-sickbay in blue-system") {
		t.Errorf("it begins with %q", first)
	}
}

// TestKindsAreKept: each definition tells Helm to keep it, and otherwise equals that in config/crd.
func TestKindsAreKept(t *testing.T) {
	needHelm(t)
	kinds := 0
	for _, obj := range render(t, "sickbay", systemNamespace) {
		if obj.GetKind() != "CustomResourceDefinition" {
			continue
		}
		kinds++
		if obj.GetAnnotations()["helm.sh/resource-policy"] != "keep" {
			t.Errorf("%s would go with the release, and all its objects with it", obj.GetName())
		}
		var crd apiextensionsv1.CustomResourceDefinition
		convert(t, obj, &crd)
		if !strings.HasSuffix(crd.Name, ".sickbay.dev") || len(crd.Spec.Versions) == 0 {
			t.Errorf("%s is not whole", crd.Name)
		}
	}
	if kinds != 4 {
		t.Errorf("there are %d kinds", kinds)
	}
}
