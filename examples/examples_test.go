// Package examples_test tries every example: an API server with Cluster API's kinds accepts it, and Sickbay
// understands it.
package examples_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/examples/library"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

func TestMain(m *testing.M) { env.Main(m, env.WithCRDFiles("config/crd/sickbay.dev_*.yaml")) }

func TestExamples(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	files, err := filepath.Glob("*.yaml")
	if err != nil || len(files) < 10 {
		t.Fatalf("found %d examples, error %v", len(files), err)
	}
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			obj := read(t, file)
			if obj.GetNamespace() != "" {
				obj.SetNamespace(ns)
			}
			// Strict validation refuses unknown and duplicate fields.
			strict := client.WithFieldValidation(e.Client, metav1.FieldValidationStrict)
			if err := strict.Create(t.Context(), obj); err != nil {
				t.Fatalf("the API server refuses it: %v", err)
			}
			if obj.GetKind() == "MachineHealthCheck" {
				checkUnderstood(t, obj)
			}
		})
	}
}

// read reads an example, which begins with two lines that say what it is for.
func read(t *testing.T, file string) *unstructured.Unstructured {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitN(string(data), "\n", 4)
	if len(lines) < 4 || !strings.HasPrefix(lines[0], "# ") || !strings.HasPrefix(lines[1], "# ") || strings.HasPrefix(lines[2], "#") {
		t.Error("it does not begin with two lines of comment")
	}
	obj := &unstructured.Unstructured{}
	if err := yaml.UnmarshalStrict(data, &obj.Object); err != nil {
		t.Fatal(err)
	}
	return obj
}

// checkUnderstood asserts that Sickbay finds nothing wrong with a MachineHealthCheck and would act on it.
func checkUnderstood(t *testing.T, obj *unstructured.Unstructured) {
	t.Helper()
	mhc := &clusterv1.MachineHealthCheck{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(obj.Object, mhc, true); err != nil {
		t.Fatal(err)
	}
	if _, problems := mhcspec.ParseConfig(mhc, nil); len(problems) > 0 {
		t.Errorf("its annotations have problems: %q", problems)
	}
	facts := admission.Facts{
		MachineHealthCheck: mhc, Cluster: build.Cluster(mhc.Namespace, mhc.Spec.ClusterName),
		SelectorProblem: (&mhcspec.Selectors{}).Problem(mhc),
	}
	d := admission.Decide(facts, build.Epoch)
	if d.Stopped.Reason == admission.ReasonInvalidConfiguration || len(d.Paused) > 0 {
		t.Errorf("it has problems %q, and is paused by %q", d.Stopped.Message, d.Paused)
	}
	beside := mhcspec.Policy{Adopt: mhcspec.AdoptHandedOver}
	if want := strings.Contains(mhc.Name, "handed-over"); beside.Manages(mhc) != want {
		t.Errorf("beside Cluster API's own controller Sickbay takes care of it: %v, want %v", !want, want)
	}
	if want := strings.Contains(mhc.Name, "dry-run"); d.Config.DryRun != want {
		t.Errorf("dry-run is %v, want %v", d.Config.DryRun, want)
	}
	upgrade := pause.Facts{Annotations: mhc.Annotations, Upgrades: []pause.Upgrade{{ID: "an upgrade"}}}
	if want := !strings.Contains(mhc.Name, "spot"); pause.Decide(upgrade, build.Epoch).Paused != want {
		t.Errorf("while its Cluster upgrades it is paused: %v, want %v", !want, want)
	}
}

// TestPowerCycles: the examples about bare metal configure what their comments say, and fit together.
func TestPowerCycles(t *testing.T) {
	templates := map[string]v1alpha1.RebootSettings{}
	for _, file := range []string{"reboot-template.yaml", "reboot-template-taint.yaml"} {
		obj, template := read(t, file), v1alpha1.RebootRemediationTemplate{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(obj.Object, &template, true); err != nil {
			t.Fatal(err)
		}
		templates[template.Name] = template.Spec.Template.Spec
	}
	cycle, none := templates["power-cycle"], v1alpha1.RebootSettings{}
	if cycle.TaintsNode() || cycle.Attempts() != none.Attempts() || cycle.PowerOffTimeout() != none.PowerOffTimeout() ||
		cycle.PowerOnTimeout() != none.PowerOnTimeout() || cycle.NodeTimeout() == none.NodeTimeout() {
		t.Errorf("reboot-template.yaml has not all defaults but one: %+v", cycle)
	}
	if !templates["power-cycle-taint"].TaintsNode() {
		t.Error("reboot-template-taint.yaml does not taint")
	}

	request, annotated := &clusterv1.MachineHealthCheck{}, &clusterv1.MachineHealthCheck{}
	for file, mhc := range map[string]*clusterv1.MachineHealthCheck{"reboot-request.yaml": request, "reboot.yaml": annotated} {
		if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(read(t, file).Object, mhc, true); err != nil {
			t.Fatal(err)
		}
	}
	ref := request.Spec.Remediation.TemplateRef
	if _, ok := templates[ref.Name]; !ok || ref.APIVersion != v1alpha1.GroupVersion.String() || ref.Kind != "RebootRemediationTemplate" {
		t.Errorf("reboot-request.yaml refers to %+v, which is no example", ref)
	}
	if config, _ := mhcspec.ParseConfig(annotated, nil); config.Strategy != mhcspec.StrategyReboot || annotated.Spec.Remediation.TemplateRef.IsDefined() {
		t.Errorf("reboot.yaml asks for %q", config.Strategy)
	}
}

// TestLibrary runs the controller of the package library.
func TestLibrary(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	e.Manager(t, env.ManagerOptions{
		Namespaces: []string{ns},
		Setup:      library.SetupWithManager,
	})
	up, late := build.Cluster(ns, "up"), build.Cluster(ns, "late", build.InfrastructureNotReady())
	build.Create(t.Context(), t, e.Client, up, late)
	reason := func(cluster *clusterv1.Cluster) string {
		if err := e.Client.Get(t.Context(), client.ObjectKeyFromObject(cluster), cluster); err != nil {
			t.Fatal(err)
		}
		c := meta.FindStatusCondition(cluster.Status.Conditions, "ProvisionedInTime")
		if c == nil {
			return ""
		}
		return string(c.Status) + " " + c.Reason
	}
	g := NewWithT(t)
	g.SetDefaultEventuallyTimeout(time.Minute)
	g.Eventually(func() string { return reason(up) }).Should(Equal("True Provisioned"))
	g.Eventually(func() string { return reason(late) }).Should(Equal("Unknown Provisioning"))
}
