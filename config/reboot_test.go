package config_test

import (
	"testing"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	. "github.com/onsi/gomega"
	machinev1 "github.com/openshift/api/machine/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/app"
	"github.com/sickbay-dev/sickbay/internal/intake"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/repair/remediation"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// onOpenShift is an account that is bound to whatever config/install/openshift.yaml binds Sickbay to. It has a name of its own, so that Sickbay has not more permissions in all tests.
const onOpenShift account = "sickbay-on-openshift"

// nodePermissions are what it adds.
var nodePermissions = map[resource][]string{
	{"", "nodes", "", ""}:                           {"get", "patch", "delete"},
	{"", "pods", "", "any"}:                         {"list"},
	{"storage.k8s.io", "volumeattachments", "", ""}: {"list"},
}

func TestPermissionsOnOpenShift(t *testing.T) {
	bindOnOpenShift(t)
	checkPermissions(t, onOpenShift, nodePermissions, map[resource][]string{
		{"", "nodes", "", ""}:                           {"create", "update", "deletecollection"},
		{"", "nodes", "status", ""}:                     {"update", "patch"},
		{"", "pods", "", "any"}:                         {"get", "create", "update", "patch", "delete"},
		{"storage.k8s.io", "volumeattachments", "", ""}: {"create", "update", "patch", "delete"},
		{openshift, "machines", "", "any"}:              {"create", "update", "delete", "deletecollection"},
	})
}

// bindOnOpenShift gives the account what the manifests give to Sickbay.
func bindOnOpenShift(t *testing.T) *env.Env {
	t.Helper()
	e := install(t)
	for _, obj := range read(t, "install/openshift.yaml") {
		switch kind := obj.GetKind(); kind {
		case "ClusterRole", "Role":
			apply(t, e, obj)
		case "ClusterRoleBinding", "RoleBinding":
			obj.SetName("test-" + obj.GetName())
			obj.Object["subjects"].([]any)[0].(map[string]any)["name"] = string(onOpenShift)
			apply(t, e, obj)
		}
	}
	settled(t, e)
	return e
}

// TestRebootLivesOnThesePermissions has a machine of OpenShift cycled by the account, of which everything is asked that
// takes a permission.
func TestRebootLivesOnThesePermissions(t *testing.T) {
	e := bindOnOpenShift(t)
	c := newCycled(t, e)
	runManager(t, e, onOpenShift, func(o *app.Options) {
		o.Controllers, o.Namespace = []string{remediation.ControllerName, reboot.ControllerName, intake.ControllerName}, c.machine.Namespace
		// It does not start if it may not look for the Lease of OpenShift's provider.
		o.OpenShiftExternalRemediation = true
	})
	c.g.Eventually(func() int { return len(c.keys(t)) }).Should(BeZero(), "a key that nobody stands behind is taken away")

	c.change(t, c.machine, func() { c.machine.Annotations[metal3v1.RebootAnnotationPrefix] = "" })
	c.g.Eventually(func() int { return len(c.keys(t)) }).Should(Equal(2), "the host is asked to be off, and to say so")
	c.g.Eventually(func() bool { return c.record(t).Status.SeenOnAt != nil }).Should(BeTrue(), "the host is seen on")
	c.power(t, false)
	c.change(t, c.host, func() { delete(c.host.Annotations, metal3v1.RebootAnnotationPrefix) })
	c.g.Eventually(func() bool {
		return apierrors.IsNotFound(e.Client.Get(t.Context(), client.ObjectKeyFromObject(c.node), c.node))
	}).
		Should(BeTrue(), "the Node is deleted")
	c.g.Eventually(func() int { return len(c.keys(t)) }).Should(BeZero(), "the host may come on")

	c.power(t, true)
	c.node = build.Node(c.node.Name)
	build.Create(t.Context(), t, e.Client, c.node)
	c.g.Eventually(func() v1alpha1.Phase { return c.record(t).Status.Phase }).Should(Equal(v1alpha1.Succeeded))
	c.read(t, c.node)
	if c.node.Labels["rack"] != "7" {
		t.Errorf("its labels are %v: they were not put back", c.node.Labels)
	}
	c.g.Eventually(func() map[string]string { c.read(t, c.machine); return c.machine.Annotations }).
		ShouldNot(HaveKey(metal3v1.RebootAnnotationPrefix), "it is done")
	c.g.Eventually(func() []string { return eventReasons(t, e, c.machine.Namespace) }).Should(ContainElement(string(v1alpha1.Succeeded)))
}

// cycled is a machine of OpenShift with its host, which the test plays.
type cycled struct {
	e       *env.Env
	g       *WithT
	machine *machinev1.Machine
	host    *metal3v1.BareMetalHost
	node    *corev1.Node
}

func newCycled(t *testing.T, e *env.Env) *cycled {
	t.Helper()
	ns := e.Namespace(t)
	c := &cycled{e: e, g: NewWithT(t), node: build.Node("n-"+ns, build.Label("rack", "7"))}
	c.g.SetDefaultEventuallyTimeout(time.Minute)
	c.machine = &machinev1.Machine{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "m", Annotations: map[string]string{"metal3.io/BareMetalHost": ns + "/h"}},
		Status:     machinev1.MachineStatus{NodeRef: &corev1.ObjectReference{Kind: "Node", Name: c.node.Name}},
	}
	c.host = &metal3v1.BareMetalHost{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "h", Annotations: map[string]string{metal3v1.RebootAnnotationPrefix + "/sickbay-of-nobody": ""}},
		Spec: metal3v1.BareMetalHostSpec{
			Online:      true,
			ConsumerRef: &corev1.ObjectReference{APIVersion: machinev1.GroupVersion.String(), Kind: "Machine", Namespace: ns, Name: "m"},
		},
		Status: metal3v1.BareMetalHostStatus{OperationalStatus: metal3v1.OperationalStatusOK, PoweredOn: true},
	}
	c.host.Status.Provisioning.State = metal3v1.StateExternallyProvisioned
	build.Create(t.Context(), t, e.Client, c.node, c.machine, c.host)
	return c
}

// keys are the annotations by which the host is asked for something.
func (c *cycled) keys(t *testing.T) []string {
	t.Helper()
	c.read(t, c.host)
	var keys []string
	for key := range c.host.Annotations {
		keys = append(keys, key)
	}
	return keys
}

// record is how far the cycle has come.
func (c *cycled) record(t *testing.T) *v1alpha1.RebootRemediation {
	t.Helper()
	var all v1alpha1.RebootRemediationList
	if err := c.e.Client.List(t.Context(), &all, client.InNamespace(c.machine.Namespace)); err != nil || len(all.Items) != 1 {
		t.Fatalf("there are %d RebootRemediations, and the error %v", len(all.Items), err)
	}
	return &all.Items[0]
}

func (c *cycled) read(t *testing.T, obj client.Object) {
	t.Helper()
	if err := c.e.Client.Get(t.Context(), client.ObjectKeyFromObject(obj), obj); err != nil {
		t.Fatal(err)
	}
}

// change stores a change of an object as it is now.
func (c *cycled) change(t *testing.T, obj client.Object, apply func()) {
	t.Helper()
	c.read(t, obj)
	before := obj.DeepCopyObject().(client.Object)
	apply()
	if err := c.e.Client.Patch(t.Context(), obj, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
}

// power is what the host's operator has seen.
func (c *cycled) power(t *testing.T, on bool) {
	t.Helper()
	c.read(t, c.host)
	before := c.host.DeepCopy()
	c.host.Status.PoweredOn = on
	if err := c.e.Client.Status().Patch(t.Context(), c.host, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
}

// TestClusterAPIMayUseOurRemediation by the label that its manager's role aggregates.
func TestClusterAPIMayUseOurRemediation(t *testing.T) {
	role := one(t, "install/sickbay.yaml", "ClusterRole", "sickbay-for-cluster-api")
	if !labels.SelectorFromSet(labels.Set{"cluster.x-k8s.io/aggregate-to-manager": "true"}).Matches(labels.Set(role.GetLabels())) {
		t.Errorf("its labels are %v", role.GetLabels())
	}
}
