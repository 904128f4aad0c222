package config_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	authorizationv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/app"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/remediation"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// account is a ServiceAccount in Sickbay's own namespace.
type account string

const (
	// sickbay runs all controllers.
	sickbay account = "sickbay"
	// upgradePauseAlone runs the one that pauses.
	upgradePauseAlone account = "sickbay-upgradepause"
)

func (a account) user() string { return "system:serviceaccount:" + systemNamespace + ":" + string(a) }

var groups = []string{"system:serviceaccounts", "system:serviceaccounts:" + systemNamespace, "system:authenticated"}

// resource is what somebody wants to do something with.
type resource struct{ group, resource, subresource, namespace string }

const (
	capi         = "cluster.x-k8s.io"
	controlPlane = "controlplane.cluster.x-k8s.io"
	openshift    = "machine.openshift.io"

	machineConfig = "machineconfiguration.openshift.io"

	metal3 = "metal3.io"
	own    = "sickbay.dev"

	infrastructure = "infrastructure.cluster.x-k8s.io"
)

func TestPermissions(t *testing.T) {
	checkPermissions(t, sickbay, map[resource][]string{
		{capi, "clusters", "", "any"}:                            {"get", "list", "watch"},
		{capi, "machines", "", "any"}:                            {"get", "list", "watch", "patch", "delete"},
		{capi, "machines", "status", "any"}:                      {"patch"},
		{capi, "machinesets", "", "any"}:                         {"get"},
		{capi, "machinedeployments", "", "any"}:                  {"list", "watch"},
		{capi, "machinehealthchecks", "", "any"}:                 {"get", "list", "watch", "patch"},
		{capi, "machinehealthchecks", "status", "any"}:           {"patch"},
		{openshift, "machinehealthchecks", "", "any"}:            {"get", "list", "watch", "patch"},
		{controlPlane, "kubeadmcontrolplanes", "", "any"}:        {"get", "list", "watch"},
		{controlPlane, "otherscontrolplanes", "", "any"}:         {"get", "list", "watch"},
		{openshift, "machines", "", "any"}:                       {"get", "list", "watch", "patch"},
		{"config.openshift.io", "clusterversions", "", ""}:       {"list", "watch"},
		{metal3, "baremetalhosts", "", "any"}:                    {"get", "list", "watch", "patch"},
		{infrastructure, "metal3machines", "", "any"}:            {"get"},
		{own, "machineremediations", "", "any"}:                  {"get", "list", "watch", "create", "patch", "delete"},
		{own, "machineremediations", "status", "any"}:            {"update"},
		{own, "machineremediationtemplates", "", "any"}:          {"get", "list", "watch"},
		{own, "machineremediationtemplates", "status", "any"}:    {"update"},
		{own, "rebootremediations", "", "any"}:                   {"get", "list", "watch", "create", "patch", "delete"},
		{own, "rebootremediations", "status", "any"}:             {"update"},
		{own, "rebootremediationtemplates", "", "any"}:           {"get", "list", "watch"},
		{"", "secrets", "", "any"}:                               {"list", "watch"},
		{"", "namespaces", "", ""}:                               {"list", "watch"},
		{"events.k8s.io", "events", "", "any"}:                   {"create", "patch"},
		{"coordination.k8s.io", "leases", "", systemNamespace}:   {"get", "list", "create", "update"},
		{"authentication.k8s.io", "tokenreviews", "", ""}:        {"create"},
		{"authorization.k8s.io", "subjectaccessreviews", "", ""}: {"create"},
	}, map[resource][]string{
		{"", "secrets", "", "any"}:                                    {"get", "create", "update", "patch", "delete", "deletecollection"},
		{capi, "clusters", "", "any"}:                                 {"create", "update", "patch", "delete", "deletecollection"},
		{capi, "clusters", "status", "any"}:                           {"update", "patch"},
		{capi, "machines", "", "any"}:                                 {"create", "deletecollection"},
		{capi, "machinesets", "", "any"}:                              {"list", "watch", "update", "patch", "delete"},
		{capi, "machinedeployments", "", "any"}:                       {"create", "update", "patch", "delete", "deletecollection"},
		{capi, "machinehealthchecks", "", "any"}:                      {"create", "delete"},
		{openshift, "machinehealthchecks", "", "any"}:                 {"create", "update", "delete", "deletecollection"},
		{openshift, "machinehealthchecks", "status", "any"}:           {"update", "patch"},
		{openshift, "machines", "", "any"}:                            {"create", "update", "delete", "deletecollection"},
		{controlPlane, "kubeadmcontrolplanes", "", "any"}:             {"create", "update", "patch", "delete", "deletecollection"},
		{controlPlane, "kubeadmcontrolplanes", "status", "any"}:       {"update", "patch"},
		{controlPlane, "kubeadmcontrolplanes", "scale", "any"}:        {"update", "patch"},
		{metal3, "baremetalhosts", "", "any"}:                         {"create", "update", "delete", "deletecollection"},
		{metal3, "baremetalhosts", "status", "any"}:                   {"update", "patch"},
		{infrastructure, "metal3machines", "", "any"}:                 {"create", "update", "patch", "delete", "deletecollection"},
		{own, "machineremediations", "", "any"}:                       {"update", "deletecollection"},
		{own, "machineremediationtemplates", "", "any"}:               {"create", "update", "patch", "delete", "deletecollection"},
		{own, "rebootremediations", "", "any"}:                        {"update", "deletecollection"},
		{own, "rebootremediationtemplates", "", "any"}:                {"create", "update", "patch", "delete", "deletecollection"},
		{machineConfig, "machineconfigpools", "", ""}:                 {"create", "update", "patch", "delete", "deletecollection"},
		{"config.openshift.io", "clusterversions", "", ""}:            {"create", "update", "patch", "delete", "deletecollection"},
		{"config.openshift.io", "clusterversions", "status", ""}:      {"update", "patch"},
		{"config.openshift.io", "clusteroperators", "", ""}:           {"get", "list"},
		{"", "nodes", "", ""}:                                         {"get", "list", "watch", "update", "patch", "delete", "deletecollection"},
		{"", "pods", "", "any"}:                                       {"get", "list", "delete"},
		{"", "events", "", "any"}:                                     {"create", "delete"},
		{"", "events", "", systemNamespace}:                           {"create", "patch"},
		{"coordination.k8s.io", "leases", "", "any"}:                  {"get", "list", "watch", "create", "update", "patch", "delete"},
		{"rbac.authorization.k8s.io", "clusterroles", "", ""}:         {"get", "create", "update", "patch", "bind", "escalate"},
		{"apiextensions.k8s.io", "customresourcedefinitions", "", ""}: {"get", "list", "watch"},
	})
}

// checkPermissions asks about everything that an account should be allowed, and should be denied.
func checkPermissions(t *testing.T, who account, allowed, denied map[resource][]string) {
	t.Helper()
	e := install(t)
	for want, list := range map[bool]map[resource][]string{true: allowed, false: denied} {
		for on, verbs := range list {
			for _, verb := range verbs {
				t.Run(fmt.Sprintf("%s %s in %q", verb, on.resource, on.group), func(t *testing.T) {
					if got := may(t, e, who, verb, on); got != want {
						t.Errorf("%+v: allowed is %v, want %v", on, got, want)
					}
				})
			}
		}
	}
}

// may asks the API server whether a ServiceAccount may do something.
func may(t *testing.T, e *env.Env, who account, verb string, on resource) bool {
	t.Helper()
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: who.user(), Groups: groups,
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb: verb, Group: on.group, Resource: on.resource, Subresource: on.subresource, Namespace: on.namespace,
		},
	}}
	if err := e.Client.Create(t.Context(), review); err != nil {
		t.Fatal(err)
	}
	return review.Status.Allowed
}

// TestAggregation: the example of a ClusterRole for remediation kinds is one that the aggregated
// ClusterRole asks for. Here nobody aggregates, as that is done by kube-controller-manager.
func TestAggregation(t *testing.T) {
	e := install(t)
	aggregated := &rbacv1.ClusterRole{}
	if err := e.Client.Get(t.Context(), client.ObjectKey{Name: "sickbay-remediation-kinds"}, aggregated); err != nil {
		t.Fatal(err)
	}
	selector, err := metav1.LabelSelectorAsSelector(&aggregated.AggregationRule.ClusterRoleSelectors[0])
	if err != nil {
		t.Fatal(err)
	}
	example := read(t, "../examples/remediation-kinds.yaml")[0]
	if !selector.Matches(labels.Set(example.GetLabels())) {
		t.Errorf("the labels %v of the example are not selected by %s", example.GetLabels(), selector)
	}
}

// TestManagerLivesOnThesePermissions runs the manager as the ServiceAccount and has it do everything that
// needs a permission: judge, delete a Machine, create a remediation request, record events, hold a lease.
func TestManagerLivesOnThesePermissions(t *testing.T) {
	e := install(t)
	ns := e.Namespace(t)
	manager := runManager(t, e, sickbay, func(o *app.Options) { o.Policy.Adopt = mhcspec.AdoptHandedOver })

	ask := build.Annotation(clusterv1.RemediateMachineAnnotation, "")
	pool := func(name string) build.Option { return build.Label("pool", name) }
	selecting := func(name string) build.MachineHealthCheckFunc { return build.Selector(map[string]string{"pool": name}) }
	template := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"template": map[string]any{"spec": map[string]any{}}}}}
	template.SetGroupVersionKind(env.RemediationGroupVersion.WithKind(env.RemediationTemplateKind))
	template.SetNamespace(ns)
	template.SetName("fix")
	handedOver := build.Annotation(clusterv1.PausedAnnotation, "sickbay")
	lonely, templated := build.Machine(ns, "lonely", ask, pool("a")), build.Machine(ns, "templated", ask, pool("b"))
	build.Create(t.Context(), t, e.Client, template, build.Cluster(ns, build.ClusterName), lonely, templated,
		build.MachineHealthCheck(ns, "deletes", handedOver, selecting("a")),
		build.MachineHealthCheck(ns, "requests", handedOver, selecting("b"), build.TemplateRef(template.GroupVersionKind(), "fix")))

	g := NewWithT(t)
	g.SetDefaultEventuallyTimeout(time.Minute)
	g.Eventually(func() error { return e.Client.Get(t.Context(), client.ObjectKeyFromObject(lonely), lonely) }).
		Should(MatchError(ContainSubstring("not found")), "the Machine without an owner is deleted")
	// Nobody has granted the kinds of the template yet. It is said, and stops nothing else.
	g.Eventually(func() string { return templateMessage(t, e, ns, "requests") }).Should(ContainSubstring("Sickbay lacks the permission"))
	if err := manager.Ready(t.Context()); err != nil {
		t.Errorf("one MachineHealthCheck makes the whole manager not ready: %v", err)
	}
	grantRemediationKinds(t, e)
	request := &unstructured.Unstructured{}
	request.SetGroupVersionKind(env.RemediationGroupVersion.WithKind(env.RemediationKind))
	g.Eventually(func() error { return e.Client.Get(t.Context(), client.ObjectKeyFromObject(templated), request) }).
		Should(Succeed(), "a remediation request is created")
	for _, reason := range []string{machinehealth.EventUnhealthy, remediation.EventRemediationStarted} {
		g.Eventually(func() []string { return eventReasons(t, e, ns) }).Should(ContainElement(reason))
	}
	if !may(t, e, sickbay, "delete", resource{env.RemediationGroupVersion.Group, "fixremediations", "", ns}) {
		t.Error("a request could not be withdrawn")
	}
	checkLeads(t, e, "sickbay-manager")
}

// checkLeads: the manager holds the lease, and has said so.
func checkLeads(t *testing.T, e *env.Env, name string) {
	t.Helper()
	lease := &coordinationv1.Lease{}
	if err := e.Client.Get(t.Context(), client.ObjectKey{Namespace: systemNamespace, Name: name}, lease); err != nil {
		t.Fatal(err)
	}
	holder := *lease.Spec.HolderIdentity
	NewWithT(t).Eventually(func() []corev1.Event { return leaderEvents(t, e, holder) }).
		WithTimeout(time.Minute).ShouldNot(BeEmpty(), "the leader says that it leads")
}

// leaderEvents are those in Sickbay's own namespace that tell who leads.
func leaderEvents(t *testing.T, e *env.Env, leader string) []corev1.Event {
	t.Helper()
	var list corev1.EventList
	if err := e.Client.List(t.Context(), &list, client.InNamespace(systemNamespace)); err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(list.Items, func(event corev1.Event) bool {
		return event.Reason != "LeaderElection" || !strings.HasPrefix(event.Message, leader)
	})
}

// grantRemediationKinds gives the ServiceAccount what the example gives it, for the kinds of the tests.
func grantRemediationKinds(t *testing.T, e *env.Env) {
	t.Helper()
	role := read(t, "../examples/remediation-kinds.yaml")[0]
	example := &rbacv1.ClusterRole{}
	apply(t, e, role)
	if err := e.Client.Get(t.Context(), client.ObjectKeyFromObject(role), example); err != nil {
		t.Fatal(err)
	}
	granted := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "test-remediation-kinds"}, Rules: example.Rules}
	kinds := [][]string{{"fixremediationtemplates"}, {"fixremediations"}}
	for i := range granted.Rules {
		granted.Rules[i].APIGroups, granted.Rules[i].Resources = []string{env.RemediationGroupVersion.Group}, kinds[i]
	}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: granted.Name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: granted.Name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: systemNamespace, Name: "sickbay"}},
	}
	for _, obj := range []client.Object{granted, binding} {
		if err := e.Client.Create(t.Context(), obj); err != nil {
			t.Fatal(err)
		}
	}
}

// runManager runs the manager as a ServiceAccount, with options like the arguments of its Deployment, until the test ends.
func runManager(t *testing.T, e *env.Env, who account, set func(*app.Options)) *app.App {
	t.Helper()
	cfg := rest.CopyConfig(e.Config)
	cfg.Impersonate = rest.ImpersonationConfig{UserName: who.user(), Groups: groups}
	options := app.DefaultOptions()
	options.LeaderElect, options.LeaderElectNamespace = true, systemNamespace
	options.HealthProbeBindAddress, options.MetricsBindAddress = "0", "0"
	options.SkipNameValidation = true
	set(&options)
	ctx, cancel := context.WithCancel(context.Background())
	a, err := app.New(ctx, cfg, options)
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	stopped := make(chan error, 1)
	go func() { stopped <- a.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-stopped; err != nil {
			t.Errorf("running the manager: %v", err)
		}
	})
	return a
}

// templateMessage is what a MachineHealthCheck says about its template.
func templateMessage(t *testing.T, e *env.Env, namespace, name string) string {
	t.Helper()
	mhc := &clusterv1.MachineHealthCheck{}
	if err := e.Client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, mhc); err != nil {
		t.Fatal(err)
	}
	c := meta.FindStatusCondition(mhc.Status.Conditions, admission.ConditionTemplateAvailable)
	if c == nil {
		return ""
	}
	return c.Message
}

func eventReasons(t *testing.T, e *env.Env, namespace string) []string {
	t.Helper()
	var list eventsv1.EventList
	if err := e.Client.List(t.Context(), &list, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
	var reasons []string
	for i := range list.Items {
		reasons = append(reasons, list.Items[i].Reason)
	}
	slices.Sort(reasons)
	return slices.Compact(reasons)
}
