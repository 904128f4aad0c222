package app

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	coordinationv1 "k8s.io/api/coordination/v1"
	eventsv1 "k8s.io/api/events/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/sickbay-dev/sickbay/internal/lease"
	"github.com/sickbay-dev/sickbay/internal/lease/scope"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/upgradepause"
)

// hurry is the pace of managers in tests.
var hurry = pace{kinds: 100 * time.Millisecond, candidate: 100 * time.Millisecond, leader: 200 * time.Millisecond}

// candidate is a manager that wants to lead.
type candidate struct {
	*App
	stop func()
}

// leads is closed once the manager leads.
func (c *candidate) leads() <-chan struct{} { return c.Manager.Elected() }

// stand starts a manager that takes part in an election, with a lease in a namespace.
func stand(t *testing.T, cfg *rest.Config, namespace string, set func(*Options)) *candidate {
	t.Helper()
	options := DefaultOptions()
	options.HealthProbeBindAddress, options.MetricsBindAddress = "0", "0"
	options.SkipNameValidation = true
	options.LeaderElect, options.LeaderElectNamespace, options.pace = true, namespace, hurry
	set(&options)
	ctx, cancel := context.WithCancel(context.Background())
	a, err := New(ctx, cfg, options)
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		if err := a.Run(ctx); err != nil {
			t.Errorf("running the manager: %v", err)
		}
	}()
	c := &candidate{a, func() { cancel(); <-stopped }}
	t.Cleanup(c.stop)
	return c
}

func judges(namespace string) func(*Options) {
	return func(o *Options) { o.Controllers, o.Namespace = []string{machinehealth.ControllerName}, namespace }
}

// gauge returns the sum of a metric over the leases of a namespace, with a label; 0 if it has no series.
func gauge(g Gomega, name, namespace, label, value string) float64 {
	families, err := metrics.Registry.Gather()
	g.Expect(err).NotTo(HaveOccurred())
	sum := 0.0
	for _, family := range families {
		if family.GetName() != name {
			continue
		}
		for _, m := range family.GetMetric() {
			labels := map[string]string{}
			for _, pair := range m.GetLabel() {
				labels[pair.GetName()] = pair.GetValue()
			}
			if labels["lease_namespace"] == namespace && (label == "" || labels[label] == value) {
				sum += m.GetGauge().GetValue()
			}
		}
	}
	return sum
}

// told reports whether there is an event with a reason about a lease.
func told(ctx context.Context, g Gomega, e *env.Env, namespace, leaseName, reason string) bool {
	var all eventsv1.EventList
	c, err := client.New(e.Config, client.Options{Scheme: Scheme()})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.List(ctx, &all, client.InNamespace(namespace))).To(Succeed())
	for i := range all.Items {
		if all.Items[i].Regarding.Name == leaseName && all.Items[i].Reason == reason {
			return true
		}
	}
	return false
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
		g.Eventually(c.leads(), time.Minute).Should(BeClosed(), "%s leads", name)
		held := &coordinationv1.Lease{}
		g.Expect(e.Client.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: name}, held)).To(Succeed())
		g.Expect(held.Labels).To(HaveKey(scope.Label))
		g.Expect(held.Annotations).To(HaveKey(scope.ControllersAnnotation))
	}
	g.Expect(gauge(g, "sickbay_manager_overlaps", ns, "", "")).To(BeZero())
	g.Expect(gauge(g, "sickbay_manager_waits", ns, "", "")).To(BeZero())
}

// TestOverlappingManagerWaits: a manager of one namespace leads, wherever its lease is. A manager of all namespaces waits for it, and reports that
// nobody handles the rest meanwhile. Then it leads, and a standby of the namespace waits for it as for any leader.
func TestOverlappingManagerWaits(t *testing.T) {
	e := env.Get(t)
	g := NewWithT(t)
	g.SetDefaultEventuallyTimeout(time.Minute)
	here, there := e.Namespace(t), e.Namespace(t)
	first := stand(t, e.Config, here, judges("blue"))
	g.Eventually(first.leads()).Should(BeClosed())

	second := stand(t, e.Config, there, judges(""))
	g.Eventually(func(g Gomega) {
		g.Expect(gauge(g, "sickbay_manager_waits", here, "covered", "false")).To(Equal(1.0))
		g.Expect(told(t.Context(), g, e, here, "sickbay-manager.only-machinehealth.in-blue", lease.ReasonManagerWaits)).To(BeTrue())
	}).Should(Succeed())
	g.Consistently(second.leads(), 10*hurry.candidate).ShouldNot(BeClosed(), "it waits")

	first.stop()
	g.Eventually(second.leads()).Should(BeClosed())
	g.Eventually(func(g Gomega) { g.Expect(gauge(g, "sickbay_manager_waits", here, "", "")).To(BeZero()) }).Should(Succeed())

	third := stand(t, e.Config, here, judges("blue"))
	g.Eventually(func(g Gomega) {
		g.Expect(gauge(g, "sickbay_manager_waits", there, "covered", "true")).To(Equal(1.0))
	}).Should(Succeed())
	second.stop()
	g.Eventually(third.leads()).Should(BeClosed())
}

// TestOverlapIsTold: a manager without leader election works beside a leader. It reports that, and reports when it is over.
func TestOverlapIsTold(t *testing.T) {
	e := env.Get(t)
	g := NewWithT(t)
	g.SetDefaultEventuallyTimeout(time.Minute)
	ns := e.Namespace(t)
	leader := stand(t, e.Config, ns, judges("blue"))
	g.Eventually(leader.leads()).Should(BeClosed())
	stand(t, e.Config, ns, func(o *Options) {
		judges("blue")(o)
		o.LeaderElect = false
	})
	g.Eventually(func(g Gomega) {
		g.Expect(gauge(g, "sickbay_manager_overlaps", ns, "lease", "sickbay-manager.only-machinehealth.in-blue")).To(Equal(1.0))
		g.Expect(told(t.Context(), g, e, ns, "sickbay-manager.only-machinehealth.in-blue", lease.ReasonManagersOverlap)).To(BeTrue())
	}).Should(Succeed())
	leader.stop()
	g.Eventually(func(g Gomega) { g.Expect(gauge(g, "sickbay_manager_overlaps", ns, "", "")).To(BeZero()) }).Should(Succeed())
}

// TestOwnNamespaceAlone: a manager with a narrow role may read at most the leases of its own namespace, or only its own lease. It leads all the same.
func TestOwnNamespaceAlone(t *testing.T) {
	e := env.Get(t)
	g := NewWithT(t)
	for name, verbs := range map[string][]string{"lists": {"get", "create", "update", "list"}, "does not list": {"get", "create", "update"}} {
		ns := e.Namespace(t)
		user := "candidate-" + ns
		role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: user}, Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{coordinationv1.GroupName}, Resources: []string{"leases"}, Verbs: verbs},
			{APIGroups: []string{eventsv1.GroupName}, Resources: []string{"events"}, Verbs: []string{"create", "patch"}},
		}}
		binding := &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: user},
			RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: user},
			Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}}}
		all := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: user}, Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{"cluster.x-k8s.io", ""}, Resources: []string{"*"}, Verbs: []string{"*"}}}}
		allBinding := &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: user},
			RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: user},
			Subjects: binding.Subjects}
		build.Create(t.Context(), t, e.Client, role, binding, all, allBinding)
		cfg := rest.CopyConfig(e.Config)
		cfg.Impersonate.UserName = user
		g.Eventually(stand(t, cfg, ns, judges(ns)).leads(), time.Minute).Should(BeClosed(), name)
	}
}

// TestElectionNeedsANamespace: outside of a pod, the namespace of the lease is not known.
func TestElectionNeedsANamespace(t *testing.T) {
	options := DefaultOptions()
	options.LeaderElect = true
	if _, err := New(t.Context(), &rest.Config{}, options); err == nil {
		t.Error("a manager was made")
	}
}
