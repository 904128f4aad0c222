package app

import (
	"testing"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	. "github.com/onsi/gomega"
	machinev1 "github.com/openshift/api/machine/v1beta1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/intake"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/repair/remediation"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// TestKindsOfBareMetalComeLater: the running manager picks up each kind when it is installed.
func TestKindsOfBareMetalComeLater(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	asks := build.Annotation(metal3v1.RebootAnnotationPrefix, "")
	ours := build.Machine(ns, "ours", asks, build.InCluster("c"))
	build.Create(t.Context(), t, e.Client, build.Cluster(ns, "c"), ours)
	options := optionsOf("", remediation.ControllerName, reboot.ControllerName, intake.ControllerName)
	// Another test may have installed the kinds before; then hosts are read before there are any.
	options.SyncPeriod = time.Second
	manager := run(t, options)
	c, err := client.New(e.Config, client.Options{Scheme: Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	g := NewWithT(t)
	g.SetDefaultEventuallyTimeout(time.Minute)
	host := func(machine metav1.Object) func() string {
		return func() string {
			var cycles v1alpha1.RebootRemediationList
			if err := c.List(t.Context(), &cycles, client.InNamespace(ns)); err != nil && !meta.IsNoMatchError(err) {
				t.Error(err)
			}
			for _, one := range cycles.Items {
				if c := meta.FindStatusCondition(one.Status.Conditions, v1alpha1.ConditionHostAvailable); c != nil && one.Spec.Machine.Name == machine.GetName() {
					return c.Reason
				}
			}
			return ""
		}
	}

	e.Install(t, env.WithCRDs(env.AnythingGoes(reboot.HostKind)))
	left := &metal3v1.BareMetalHost{ObjectMeta: metav1.ObjectMeta{
		Namespace: ns, Name: "left", Annotations: map[string]string{metal3v1.RebootAnnotationPrefix + "/sickbay-of-nobody": ""},
	}}
	build.Create(t.Context(), t, c, left)
	e.Install(t, env.WithCRDFiles("config/crd/sickbay*.yaml"))
	g.Eventually(host(ours)).Should(Equal(v1alpha1.ReasonHostNotFound))
	g.Eventually(func() map[string]string {
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(left), left); err != nil {
			t.Error(err)
		}
		return left.Annotations
	}).Should(BeEmpty(), "what nobody stands behind is taken from the hosts")

	e.Install(t, env.WithModuleCRDs("github.com/openshift/api", "machine/v1beta1/zz_generated.crd-manifests/*_machines-Default.crd.yaml"))
	theirs := &machinev1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "theirs", Annotations: map[string]string{metal3v1.RebootAnnotationPrefix: ""}}}
	build.Create(t.Context(), t, c, theirs)
	g.Eventually(host(theirs)).Should(Equal(v1alpha1.ReasonHostNotFound))
	if err := manager.Ready(t.Context()); err != nil {
		t.Errorf("the manager is not ready: %v", err)
	}
}
