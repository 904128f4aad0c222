package app

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
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
			cfg, user := e.User("judge-" + ns)
			e.Permit(t, "", user, rbacv1.PolicyRule{APIGroups: groups, Resources: []string{"*"}, Verbs: []string{"*"}})
			machine := build.Machine(ns, "m")
			build.Create(t.Context(), t, e.Client, build.Cluster(ns, build.ClusterName), build.MachineHealthCheck(ns, "mhc"), machine)
			runAs(t, cfg, optionsOf("", machinehealth.ControllerName))
			g.Eventually(func() bool {
				m := &clusterv1.Machine{}
				g.Expect(e.Client.Get(t.Context(), client.ObjectKeyFromObject(machine), m)).To(Succeed())
				return meta.FindStatusCondition(m.Status.Conditions, verdict.ConditionType) != nil
			}, 30*time.Second).Should(BeTrue(), "no verdict")
		})
	}
}
