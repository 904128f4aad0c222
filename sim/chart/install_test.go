package chart_test

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/page"
)

// forwarded is the local port that the page forwards the dashboard to.
const forwarded = "127.0.0.1:18444"

// kubectlWithoutNodes wraps the real kubectl. The test does what kubectl cannot do without Nodes.
const kubectlWithoutNodes = `#!/bin/sh
for word; do
	if [ "$word" = port-forward ]; then exec sleep 600; fi
done
exec "$KUBECTL" "$@"
`

// TestInstallPage follows docs/install.md to the letter: installation with Helm, dry run, an explained verdict, an approval, the dashboard, an
// upgrade, and uninstallation. No Node runs here, so the test starts what the Deployment describes, with the ServiceAccount's token.
func TestInstallPage(t *testing.T) {
	needHelm(t)
	e := env.Get(t)
	kubectl, err := filepath.Abs(filepath.Join(os.Getenv("KUBEBUILDER_ASSETS"), "kubectl"))
	if err != nil {
		t.Fatal(err)
	}
	binary, err := filepath.Abs(root + "/bin/sickbay")
	if err != nil {
		t.Fatal(err)
	}
	tools := t.TempDir()
	if err := os.Symlink(*helmBinary, filepath.Join(tools, "helm")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tools, "kubectl"), []byte(kubectlWithoutNodes), 0o755); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", forwarded)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	n := startNodeless(t, binary)
	go n.forward(t, listener)

	home := t.TempDir()
	shell := page.Shell{
		Dir: root, Tools: []string{tools, filepath.Dir(binary)}, Timeout: 5 * time.Minute,
		Env: []string{
			"KUBECONFIG=" + env.Kubeconfig(t, e.Config, "robin", ""), "KUBECTL=" + kubectl,
			"HELM_CACHE_HOME=" + home, "HELM_CONFIG_HOME=" + home, "HELM_DATA_HOME=" + home,
		},
	}
	shell.Follow(t, root+"/docs/install.md")
	noTrace(t, e)
}

// noTrace expects that nothing is left of the release and of Sickbay's kinds.
func noTrace(t *testing.T, e *env.Env) {
	t.Helper()
	labels := client.MatchingLabels{"app.kubernetes.io/name": "sickbay"}
	var roles rbacv1.ClusterRoleList
	if err := e.Client.List(t.Context(), &roles, labels); err != nil || len(roles.Items) > 0 {
		t.Errorf("%d ClusterRoles are left, error %v", len(roles.Items), err)
	}
	var bindings rbacv1.ClusterRoleBindingList
	if err := e.Client.List(t.Context(), &bindings, labels); err != nil || len(bindings.Items) > 0 {
		t.Errorf("%d ClusterRoleBindings are left, error %v", len(bindings.Items), err)
	}
	for _, list := range []client.ObjectList{
		&appsv1.DeploymentList{}, &corev1.ServiceList{}, &corev1.ServiceAccountList{}, &networkingv1.NetworkPolicyList{}, &policyv1.PodDisruptionBudgetList{}, &rbacv1.RoleList{}, &rbacv1.RoleBindingList{},
	} {
		if err := e.Client.List(t.Context(), list, labels); err != nil || meta.LenList(list) > 0 {
			t.Errorf("of %T %d are left, error %v", list, meta.LenList(list), err)
		}
	}
	var leases coordinationv1.LeaseList
	if err := e.Client.List(t.Context(), &leases, client.InNamespace(systemNamespace)); err != nil || len(leases.Items) > 0 {
		t.Errorf("%d leases are left, error %v", len(leases.Items), err)
	}
	var kinds apiextensionsv1.CustomResourceDefinitionList
	if err := e.Client.List(t.Context(), &kinds); err != nil {
		t.Fatal(err)
	}
	for _, kind := range kinds.Items {
		if kind.Spec.Group == "sickbay.dev" {
			t.Errorf("the kind %s is left", kind.Name)
		}
	}
}
