package app

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// TestWithoutPermissionOnHosts: Metal3 is installed, and Sickbay runs only machinehealth and may not read hosts.
func TestWithoutPermissionOnHosts(t *testing.T) {
	e := env.Get(t)
	e.Install(t, env.WithCRDs(env.AnythingGoes(reboot.HostKind)))
	for name, groups := range map[string][]string{
		"permitted": {"cluster.x-k8s.io", "events.k8s.io", "coordination.k8s.io", "", "metal3.io"},
		"forbidden": {"cluster.x-k8s.io", "events.k8s.io", "coordination.k8s.io", ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			ns := e.Namespace(t)
			user := "judge-" + ns
			role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: user}, Rules: []rbacv1.PolicyRule{
				{APIGroups: groups, Resources: []string{"*"}, Verbs: []string{"*"}}}}
			binding := &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: user},
				RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: user},
				Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}}}
			machine := build.Machine(ns, "m")
			build.Create(t.Context(), t, e.Client, role, binding, build.Cluster(ns, build.ClusterName), build.MachineHealthCheck(ns, "mhc"), machine)
			as := *e
			as.Config = rest.CopyConfig(e.Config)
			as.Config.Impersonate.UserName = user
			run(t, &as, machinehealth.ControllerName)
			g.Eventually(func() bool {
				m := &clusterv1.Machine{}
				g.Expect(e.Client.Get(t.Context(), client.ObjectKeyFromObject(machine), m)).To(Succeed())
				return meta.FindStatusCondition(m.Status.Conditions, verdict.ConditionType) != nil
			}, 30*time.Second).Should(BeTrue(), "no verdict")
		})
	}
}
