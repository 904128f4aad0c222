package app

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	coordinationv1 "k8s.io/api/coordination/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/lease/scope"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/upgradepause"
)

// stand runs a manager that takes part in an election, with a lease in a namespace.
func stand(t *testing.T, cfg *rest.Config, namespace string, set func(*Options)) *running {
	t.Helper()
	options := optionsOf("")
	options.LeaderElect, options.LeaderElectNamespace = true, namespace
	set(&options)
	return runAs(t, cfg, options)
}

func judges(namespace string) func(*Options) {
	return func(o *Options) { o.Controllers, o.Namespace = []string{machinehealth.ControllerName}, namespace }
}

// TestManagersBesideEachOther: managers with different scopes lead at the same time, each with a lease that shows its scope.
func TestManagersBesideEachOther(t *testing.T) {
	e := env.Get(t)
	g := NewWithT(t)
	ns := e.Namespace(t)
	for name, set := range map[string]func(*Options){
		"sickbay-manager.only-machinehealth.in-blue": judges("blue"),
		"sickbay-manager.only-machinehealth.in-red":  judges("red"),
		"sickbay-manager.only-upgradepause.in-blue": func(o *Options) {
			o.Controllers, o.Namespace = []string{upgradepause.ControllerName}, "blue"
		},
		"of-my-own": func(o *Options) {
			judges("green")(o)
			o.LeaderElectID = "of-my-own"
		},
	} {
		c := stand(t, e.Config, ns, set)
		g.Eventually(c.Manager.Elected(), time.Minute).Should(BeClosed(), "%s leads", name)
		held := &coordinationv1.Lease{}
		g.Expect(e.Client.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: name}, held)).To(Succeed())
		g.Expect(held.Labels).To(HaveKeyWithValue(scope.Label, ""))
		g.Expect(scope.Of(held.Labels).Lease(Controllers())).To(Or(Equal(name), HaveSuffix(".in-green")), "the lease says what its holder manages")
	}
}

// TestReplicaTakesOver: a replica waits while another one leads, also one with other flags and the same lease, and leads when that one has stopped.
// Then the lease says what the new leader does, and nothing is left of the old one.
func TestReplicaTakesOver(t *testing.T) {
	e := env.Get(t)
	g := NewWithT(t)
	g.SetDefaultEventuallyTimeout(time.Minute)
	ns := e.Namespace(t)
	first := stand(t, e.Config, ns, judges("blue"))
	g.Eventually(first.Manager.Elected()).Should(BeClosed())
	second := stand(t, e.Config, ns, func(o *Options) {
		judges("blue")(o)
		o.Policy.Drain = true
	})
	g.Consistently(second.Manager.Elected(), 10*hurry.candidate).ShouldNot(BeClosed(), "it waits")
	held := &coordinationv1.Lease{}
	drains := func() bool {
		g.Expect(e.Client.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: "sickbay-manager.only-machinehealth.in-blue"}, held)).To(Succeed())
		return scope.Of(held.Labels).Drain
	}
	g.Expect(drains()).To(BeFalse())
	first.stop()
	g.Eventually(second.Manager.Elected()).Should(BeClosed())
	g.Expect(drains()).To(BeTrue())
}

// TestOwnLeaseAlone: a manager with a narrow role may use only its own lease. It leads all the same.
func TestOwnLeaseAlone(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	cfg, user := e.User("candidate-" + ns)
	e.Permit(t, ns, user, rbacv1.PolicyRule{APIGroups: []string{coordinationv1.GroupName}, Resources: []string{"leases"}, Verbs: []string{"get", "create", "update"}})
	e.Permit(t, "", user, rbacv1.PolicyRule{APIGroups: []string{"cluster.x-k8s.io", ""}, Resources: []string{"*"}, Verbs: []string{"*"}})
	NewWithT(t).Eventually(stand(t, cfg, ns, judges(ns)).Manager.Elected(), time.Minute).Should(BeClosed())
}
