package app

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	configv1 "github.com/openshift/api/config/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/scaffold"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/upgradepause"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// TestKindsOfOpenShiftComeLater: the running manager picks up each kind when it is installed.
func TestKindsOfOpenShiftComeLater(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	build.Create(t.Context(), t, e.Client, build.MachineHealthCheck(ns, "mhc"))
	run(t, optionsOf("", upgradepause.ControllerName))
	paused := func(kind schema.GroupVersionKind) func() bool {
		return func() bool {
			check := scaffold.MetadataOf(kind)
			if err := e.Client.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: "mhc"}, check); err != nil {
				t.Error(err)
			}
			_, marked := check.Annotations[pause.MarkerAnnotation]
			return marked
		}
	}
	g := NewWithT(t)
	g.SetDefaultEventuallyTimeout(time.Minute)

	e.Install(t, env.WithModuleCRDs("github.com/openshift/api", "config/v1/zz_generated.crd-manifests/*clusterversions-Default.crd.yaml"))
	version := upgradingVersion()
	build.Create(t.Context(), t, e.Client, version)
	t.Cleanup(func() {
		if err := e.Client.Delete(context.Background(), version); err != nil {
			t.Error(err)
		}
	})
	g.Eventually(paused(upgradepause.ClusterAPIKind)).Should(BeTrue(), "ClusterVersion is installed")

	e.Install(t, env.WithModuleCRDs("github.com/openshift/api", "machine/v1beta1/zz_generated.crd-manifests/*_machinehealthchecks.crd.yaml"))
	check := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{
		"selector":            map[string]any{},
		"unhealthyConditions": []any{map[string]any{"type": "Ready", "status": "Unknown", "timeout": "5m0s"}},
	}}}
	check.SetGroupVersionKind(upgradepause.OpenShiftKind)
	check.SetNamespace(ns)
	check.SetName("mhc")
	build.Create(t.Context(), t, e.Client, check)
	g.Eventually(paused(upgradepause.OpenShiftKind)).Should(BeTrue(), "OpenShift's MachineHealthCheck is installed")

	version.Status.Conditions[0].Status = configv1.ConditionFalse
	if err := e.Client.Status().Update(t.Context(), version); err != nil {
		t.Fatal(err)
	}
	g.Eventually(paused(upgradepause.ClusterAPIKind)).Should(BeFalse())
	g.Eventually(paused(upgradepause.OpenShiftKind)).Should(BeFalse())
}

// upgradingVersion is a ClusterVersion during an upgrade.
func upgradingVersion() *configv1.ClusterVersion {
	return &configv1.ClusterVersion{
		ObjectMeta: metav1.ObjectMeta{Name: "version"},
		Spec:       configv1.ClusterVersionSpec{ClusterID: "7e8b6a1c-0000-4000-8000-000000000000"},
		Status: configv1.ClusterVersionStatus{
			Desired: configv1.Release{Version: "4.17.3", Image: "release"}, VersionHash: "hash",
			History: []configv1.UpdateHistory{{
				State: configv1.PartialUpdate, Version: "4.17.3", Image: "release", StartedTime: metav1.NewTime(build.Epoch),
			}},
			Conditions: []configv1.ClusterOperatorStatusCondition{
				{Type: configv1.OperatorProgressing, Status: configv1.ConditionTrue, LastTransitionTime: metav1.NewTime(build.Epoch)},
			},
		},
	}
}
