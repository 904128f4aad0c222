package move_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/sim/e2e"
	"github.com/sickbay-dev/sickbay/sim/world"
)

const (
	systemNamespace = "sickbay-system"
	root            = "../../.."
)

// TestAddonProvider: clusterctl installs Sickbay, upgrades it and deletes it. Plans stay through all that.
func TestAddonProvider(t *testing.T) {
	g := NewWithT(t)
	w, err := world.Start(t.Context(), world.Options{Bare: true})
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { g.Expect(w.Stop(context.WithoutCancel(t.Context()))).To(Succeed()) })
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	g.Expect(w.WriteKubeconfig(kubeconfig)).To(Succeed())
	// clusterctl wants cert-manager, which Sickbay does not need.
	_, err = envtest.InstallCRDs(w.Config(), envtest.CRDInstallOptions{Scheme: scheme.Scheme, MaxTime: e2e.Patience, CRDs: []*apiextensionsv1.CustomResourceDefinition{
		env.AnythingGoes(schema.GroupVersionKind{Group: "cert-manager.io", Version: "v1", Kind: "Issuer"}),
		env.AnythingGoes(schema.GroupVersionKind{Group: "cert-manager.io", Version: "v1", Kind: "Certificate"}),
	}})
	g.Expect(err).NotTo(HaveOccurred())
	config := repository(t)
	run := func(args ...string) string {
		return ctl(t, append(args, "--kubeconfig="+kubeconfig, "--config="+config)...)
	}

	run("init", "--core=cluster-api:v1.14.2", "--bootstrap=-", "--control-plane=-", "--addon=sickbay:v0.1.0")
	g.Expect(image(t, w.Client())).To(HaveSuffix(":v0.1.0"))
	g.Expect(w.Client().Create(t.Context(), namespace())).To(Succeed())
	g.Expect(w.Client().Create(t.Context(), plan())).To(Succeed())

	g.Expect(run("upgrade", "plan")).To(MatchRegexp(`addon-sickbay\s+sickbay-system\s+AddonProvider\s+v0.1.0\s+v0.1.1`))
	run("upgrade", "apply", "--addon="+systemNamespace+"/sickbay:v0.1.1")
	g.Expect(image(t, w.Client())).To(HaveSuffix(":v0.1.1"))

	run("delete", "--addon=sickbay")
	g.Expect(image(t, w.Client())).To(BeEmpty())
	g.Expect(w.Client().Get(t.Context(), client.ObjectKey{Namespace: ns, Name: planned}, &v1alpha1.MachineRemediationTemplate{})).To(Succeed())
}

// repository makes a repository for clusterctl with two versions of Sickbay, as a release has them, and Cluster API's kinds. It returns clusterctl's
// configuration.
func repository(t *testing.T) string {
	t.Helper()
	g := NewWithT(t)
	dir := t.TempDir()
	write := func(text, path string) string {
		file := filepath.Join(dir, path)
		g.Expect(os.MkdirAll(filepath.Dir(file), 0o755)).To(Succeed())
		g.Expect(os.WriteFile(file, []byte(text), 0o600)).To(Succeed())
		return file
	}
	read := func(path string) string {
		text, err := os.ReadFile(path)
		g.Expect(err).NotTo(HaveOccurred())
		return string(text)
	}
	capi, err := world.ClusterAPICRDs()
	g.Expect(err).NotTo(HaveOccurred())
	kinds := "apiVersion: v1\nkind: Namespace\nmetadata: {name: capi-system}\n"
	for _, crd := range capi {
		crd.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
		text, err := yaml.Marshal(crd)
		g.Expect(err).NotTo(HaveOccurred())
		kinds += "---\n" + string(text)
	}
	metadata, err := world.ModuleFile("sigs.k8s.io/cluster-api", "metadata.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	core := write(kinds, "cluster-api/v1.14.2/core-components.yaml")
	write(read(metadata), "cluster-api/v1.14.2/metadata.yaml")
	var addon string
	for _, version := range []string{"v0.1.0", "v0.1.1"} {
		addon = write(strings.ReplaceAll(read(root+"/config/install/sickbay.yaml"), "v0.0.0", version), "addon-sickbay/"+version+"/addon-components.yaml")
		write(read(root+"/config/clusterctl/metadata.yaml"), "addon-sickbay/"+version+"/metadata.yaml")
	}
	return write("providers:\n- {name: cluster-api, type: CoreProvider, url: \""+core+"\"}\n- {name: sickbay, type: AddonProvider, url: \""+addon+"\"}\n", "clusterctl.yaml")
}

// ctl runs clusterctl and returns what it says.
func ctl(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), e2e.Patience)
	defer cancel()
	c := exec.CommandContext(ctx, *clusterctl, args...)
	c.Env = append(c.Environ(), "CLUSTERCTL_DISABLE_VERSIONCHECK=true", "HOME="+t.TempDir())
	said, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("clusterctl %q: %v\n%s", args, err, said)
	}
	return string(said)
}

// image returns the image of Sickbay's Deployment; empty if there is none.
func image(t *testing.T, c client.Client) string {
	t.Helper()
	d := &appsv1.Deployment{}
	err := c.Get(t.Context(), client.ObjectKey{Namespace: systemNamespace, Name: "sickbay"}, d)
	if apierrors.IsNotFound(err) {
		return ""
	}
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return d.Spec.Template.Spec.Containers[0].Image
}
