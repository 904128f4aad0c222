package config_test

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	configv1 "github.com/openshift/api/config/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	controlplanev1 "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/app"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/upgradepause"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

func TestPermissionsOfUpgradePauseAlone(t *testing.T) {
	everything := []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}
	writing := everything[3:]
	checkPermissions(t, upgradePauseAlone, map[resource][]string{
		{capi, "clusters", "", "any"}:                            {"list", "watch"},
		{capi, "machinedeployments", "", "any"}:                  {"list", "watch"},
		{capi, "machines", "", "any"}:                            {"list", "watch"},
		{openshift, "machines", "", "any"}:                       {"list", "watch"},
		{"", "nodes", "", ""}:                                    {"list", "watch"},
		{capi, "machinehealthchecks", "", "any"}:                 {"get", "list", "watch", "patch"},
		{openshift, "machinehealthchecks", "", "any"}:            {"get", "list", "watch", "patch"},
		{controlPlane, "kubeadmcontrolplanes", "", "any"}:        {"list", "watch"},
		{"config.openshift.io", "clusterversions", "", ""}:       {"list", "watch"},
		{machineConfig, "machineconfigpools", "", ""}:            {"list", "watch"},
		{"events.k8s.io", "events", "", "any"}:                   {"create", "patch"},
		{"coordination.k8s.io", "leases", "", systemNamespace}:   {"get", "list", "create", "update"},
		{"authentication.k8s.io", "tokenreviews", "", ""}:        {"create"},
		{"authorization.k8s.io", "subjectaccessreviews", "", ""}: {"create"},
	}, map[resource][]string{
		{"", "secrets", "", "any"}:                                     everything,
		{"", "secrets", "", systemNamespace}:                           everything,
		{capi, "machines", "", "any"}:                                  writing,
		{capi, "machines", "status", "any"}:                            {"get", "update", "patch"},
		{capi, "machinesets", "", "any"}:                               everything,
		{openshift, "machines", "", "any"}:                             writing,
		{capi, "clusters", "", "any"}:                                  writing,
		{capi, "clusters", "status", "any"}:                            {"update", "patch"},
		{capi, "machinedeployments", "", "any"}:                        writing,
		{controlPlane, "kubeadmcontrolplanes", "", "any"}:              writing,
		{controlPlane, "kubeadmcontrolplanes", "status", "any"}:        {"update", "patch"},
		{"config.openshift.io", "clusterversions", "", ""}:             writing,
		{machineConfig, "machineconfigpools", "", ""}:                  writing,
		{"config.openshift.io", "clusterversions", "status", ""}:       {"update", "patch"},
		{capi, "machinehealthchecks", "", "any"}:                       {"create", "update", "delete", "deletecollection"},
		{capi, "machinehealthchecks", "status", "any"}:                 {"update", "patch"},
		{openshift, "machinehealthchecks", "", "any"}:                  {"create", "update", "delete", "deletecollection"},
		{openshift, "machinehealthchecks", "status", "any"}:            {"update", "patch"},
		{env.RemediationGroupVersion.Group, "fixremediations", "", ""}: everything,
		{"", "nodes", "", ""}:                                          writing,
		{"", "pods", "", "any"}:                                        everything,
		{"", "events", "", "any"}:                                      everything,
		{"coordination.k8s.io", "leases", "", "any"}:                   {"get", "list", "watch", "create", "update", "patch", "delete"},
		{"rbac.authorization.k8s.io", "clusterroles", "", ""}:          {"get", "create", "update", "patch", "bind", "escalate"},
	})
}

// TestUpgradePauseLivesOnItsPermissions runs the manager as the lesser account, and has it do everything that
// needs a permission: pause and resume both kinds of MachineHealthCheck, for an upgrade of OpenShift and for one of a
// Cluster, record events, hold a lease.
func TestUpgradePauseLivesOnItsPermissions(t *testing.T) {
	e := install(t)
	ns := e.Namespace(t)
	w := &upgrading{env: e, version: clusterVersion(t, e)}
	ours := build.MachineHealthCheck(ns, "ours")
	theirs := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"selector": map[string]any{}}}}
	theirs.SetGroupVersionKind(upgradepause.OpenShiftKind)
	theirs.SetNamespace(ns)
	theirs.SetName("theirs")
	asks := build.Annotation(pause.OptionAnnotation, "true")
	w.controlPlane = controlPlaneOf(ns, "v1.35.0", "v1.35.0")
	build.Create(t.Context(), t, e.Client, w.controlPlane, build.Cluster(ns, build.ClusterName, asks), ours, theirs)
	w.progress(t, configv1.ConditionUnknown)

	manager := runManager(t, e, upgradePauseAlone, func(o *app.Options) { o.Controllers = []string{upgradepause.ControllerName} })
	g := NewWithT(t)
	g.SetDefaultEventuallyTimeout(time.Minute)
	g.Eventually(func() []string { return eventReasons(t, e, metav1.NamespaceDefault) }).
		Should(ContainElement(upgradepause.EventUnreadable), "it is said of the ClusterVersion, which is in no namespace")
	w.progress(t, configv1.ConditionFalse)

	w.roll(t, "v1.36.0", "v1.35.0")
	g.Eventually(func() string { return w.pausedWith(t, ours) }).Should(Equal("upgrade"), "the Cluster upgrades")
	if value := w.pausedWith(t, theirs); value != "" {
		t.Errorf("what is not the Cluster's is paused too: %q", value)
	}
	w.roll(t, "v1.36.0", "v1.36.0")
	g.Eventually(func() string { return w.pausedWith(t, ours) }).Should(BeEmpty(), "the Cluster has upgraded")

	w.progress(t, configv1.ConditionTrue)
	for _, check := range []client.Object{ours, theirs} {
		g.Eventually(func() string { return w.pausedWith(t, check) }).Should(Equal("upgrade"), "OpenShift upgrades")
	}
	w.progress(t, configv1.ConditionFalse)
	for _, check := range []client.Object{ours, theirs} {
		g.Eventually(func() string { return w.pausedWith(t, check) }).Should(BeEmpty(), "OpenShift has upgraded")
		if check.GetAnnotations()[mhcspec.ResumedAtAnnotation] == "" {
			t.Errorf("the clocks of %s do not start anew", check.GetName())
		}
	}
	for _, reason := range []string{upgradepause.EventPaused, upgradepause.EventResumed} {
		g.Eventually(func() []string { return eventReasons(t, e, ns) }).Should(ContainElement(reason))
	}
	if err := manager.Ready(t.Context()); err != nil {
		t.Errorf("it is not ready: %v", err)
	}
	checkLeads(t, e, "sickbay-manager.only-upgradepause")
}

// upgrading is what can be upgraded.
type upgrading struct {
	env          *env.Env
	version      *configv1.ClusterVersion
	controlPlane *controlplanev1.KubeadmControlPlane
}

// clusterVersion stores one until the test ends.
func clusterVersion(t *testing.T, e *env.Env) *configv1.ClusterVersion {
	t.Helper()
	cv := &configv1.ClusterVersion{
		ObjectMeta: metav1.ObjectMeta{Name: "version"},
		Spec:       configv1.ClusterVersionSpec{ClusterID: "0f0f0f0f-0000-4000-8000-000000000000"},
	}
	if err := e.Client.Create(t.Context(), cv); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Client.Delete(context.Background(), cv); err != nil {
			t.Error(err)
		}
	})
	return cv
}

// progress has OpenShift say whether it upgrades.
func (w *upgrading) progress(t *testing.T, status configv1.ConditionStatus) {
	t.Helper()
	w.version.Status = configv1.ClusterVersionStatus{
		Desired: configv1.Release{Version: "4.20.1", Image: "release"}, VersionHash: "x",
		Conditions: []configv1.ClusterOperatorStatusCondition{
			{Type: configv1.OperatorProgressing, Status: status, LastTransitionTime: metav1.NewTime(build.Epoch)},
		},
	}
	if err := w.env.Client.Status().Update(t.Context(), w.version); err != nil {
		t.Fatal(err)
	}
}

// roll gives the control plane a version, and its machines another.
func (w *upgrading) roll(t *testing.T, target, current string) {
	t.Helper()
	next := controlPlaneOf(w.controlPlane.Namespace, target, current)
	w.controlPlane.Spec = next.Spec
	if err := w.env.Client.Update(t.Context(), w.controlPlane); err != nil {
		t.Fatal(err)
	}
	w.controlPlane.Status = next.Status
	if err := w.env.Client.Status().Update(t.Context(), w.controlPlane); err != nil {
		t.Fatal(err)
	}
}

func controlPlaneOf(namespace, target, current string) *controlplanev1.KubeadmControlPlane {
	kcp := &controlplanev1.KubeadmControlPlane{ObjectMeta: metav1.ObjectMeta{
		Namespace: namespace, Name: build.ClusterName, Labels: map[string]string{clusterv1.ClusterNameLabel: build.ClusterName},
	}}
	kcp.Spec.Version = target
	kcp.Spec.MachineTemplate.Spec.InfrastructureRef = clusterv1.ContractVersionedObjectReference{
		APIGroup: "infrastructure.cluster.x-k8s.io", Kind: "DevMachineTemplate", Name: build.ClusterName,
	}
	kcp.Status.Versions = []clusterv1.StatusVersion{{Version: current, Replicas: 1}}
	return kcp
}

// pausedWith reads a MachineHealthCheck, and returns the value that it is paused with; empty if it is not paused.
func (w *upgrading) pausedWith(t *testing.T, check client.Object) string {
	t.Helper()
	if err := w.env.Client.Get(t.Context(), client.ObjectKeyFromObject(check), check); err != nil {
		t.Fatal(err)
	}
	return check.GetAnnotations()[clusterv1.PausedAnnotation]
}
