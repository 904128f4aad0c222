package uninstall_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	. "github.com/onsi/gomega"
	machinev1 "github.com/openshift/api/machine/v1beta1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/uninstall"
)

// writer returns a client that makes a few writes and then fails, like a process that is killed.
func writer(t *testing.T, e *env.Env, writes int) client.Client {
	t.Helper()
	next := func() error {
		if writes--; writes < 0 {
			return errors.New("killed")
		}
		return nil
	}
	return e.Intercept(t, interceptor.Funcs{
		Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
			if err := next(); err != nil {
				return err
			}
			return c.Patch(ctx, obj, patch, opts...)
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, name string, obj client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
			if err := next(); err != nil {
				return err
			}
			return c.SubResource(name).Patch(ctx, obj, patch, opts...)
		},
		Delete: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.DeleteOption) error {
			if err := next(); err != nil {
				return err
			}
			return c.Delete(ctx, obj, opts...)
		},
	})
}

func taker(c client.Client, namespace string) *uninstall.Uninstaller {
	return &uninstall.Uninstaller{Client: c, Namespace: namespace, Clock: clock.RealClock{}, Workload: func(context.Context, client.ObjectKey) (client.Client, error) { return c, nil }}
}

// cycleOf returns the spec of a power cycle.
func cycleOf(group, machine string) v1alpha1.RebootRemediationSpec {
	return v1alpha1.RebootRemediationSpec{
		Machine:     &v1alpha1.MachineReference{APIGroup: group, Name: machine},
		RequestedBy: &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByRecord, Name: "r", UID: "u", OperationID: "u/1"},
	}
}

// wreck is a power cycle during which Sickbay was stopped: the host is off, and its Node out of service.
type wreck struct {
	host    *metal3v1.BareMetalHost
	node    *corev1.Node
	request *v1alpha1.RebootRemediation
	machine *clusterv1.Machine
}

func newWreck(t *testing.T, e *env.Env, ns string) *wreck {
	t.Helper()
	w := &wreck{machine: build.Machine(ns, "metal", build.Annotation("reboot.metal3.io", "5f2c9d1e-0000-4000-8000-000000000001/1"))}
	build.Create(t.Context(), t, e.Client, w.machine)
	w.node = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-of-" + ns}, Spec: corev1.NodeSpec{Taints: []corev1.Taint{
		{Key: corev1.TaintNodeOutOfService, Value: "nodeshutdown", Effect: corev1.TaintEffectNoExecute}, {Key: "own", Effect: corev1.TaintEffectNoSchedule},
	}}}
	build.Create(t.Context(), t, e.Client, w.node)
	w.request = &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{
		Namespace: ns, Name: "metal", Finalizers: []string{"sickbay.dev/reboot", "sickbay.dev/reboot-node"}, Labels: map[string]string{clusterv1.ClusterNameLabel: build.ClusterName},
	}}
	w.request.Spec = cycleOf(clusterv1.GroupVersion.Group, w.machine.Name)
	w.request.Status = v1alpha1.RebootRemediationStatus{
		Phase: v1alpha1.Isolating, MachineUID: w.machine.UID, Host: &v1alpha1.HostIdentity{Name: "host", UID: "u-host"},
		Node: &v1alpha1.NodeRecord{Name: w.node.Name, UID: w.node.UID, OutOfService: true, Backup: &v1alpha1.NodeBackup{
			TakenAt: metav1.Now(), Labels: map[string]string{"team": "a"}, Annotations: map[string]string{"example.dev/x": "y"}, Unschedulable: true,
		}},
	}
	build.Create(t.Context(), t, e.Client, w.request)
	w.host = &metal3v1.BareMetalHost{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "host", Annotations: map[string]string{
		"reboot.metal3.io/sickbay-" + string(w.request.UID): `{"mode":"hard","request":"` + string(w.request.UID) + `"}`, "reboot.metal3.io/of-others": "",
	}}}
	build.Create(t.Context(), t, e.Client, w.host)
	t.Cleanup(func() {
		u := taker(e.Client, ns)
		u.LeaveNodes = true
		survey, err := u.Survey(context.Background())
		if err := errors.Join(err, client.IgnoreNotFound(e.Client.Delete(context.Background(), w.node)), e.Client.Delete(context.Background(), w.host), u.TakeBack(context.Background(), survey, func(uninstall.Item, error) {})); err != nil {
			t.Error(err)
		}
	})
	return w
}

// off reports whether we keep the host off.
func (w *wreck) off() bool {
	return strings.Contains(fmt.Sprint(w.host.Annotations), "reboot.metal3.io/sickbay-")
}

func (w *wreck) read(t *testing.T, e *env.Env) (requestThere bool) {
	t.Helper()
	for _, obj := range []client.Object{w.host, w.node, w.machine} {
		latest := obj.DeepCopyObject().(client.Object)
		if err := e.Client.Get(t.Context(), client.ObjectKeyFromObject(obj), latest); err != nil {
			t.Fatal(err)
		}
		switch latest := latest.(type) {
		case *metal3v1.BareMetalHost:
			w.host = latest
		case *corev1.Node:
			w.node = latest
		case *clusterv1.Machine:
			w.machine = latest
		}
	}
	return e.Client.Get(t.Context(), client.ObjectKeyFromObject(w.request), &v1alpha1.RebootRemediation{}) == nil
}

// TestCrash: uninstall is killed after each of its writes. The host is released first, and its record goes last. Run again, uninstall ends as if it
// had never been killed.
func TestCrash(t *testing.T) {
	e, g := env.Get(t), NewWithT(t)
	ns := e.Namespace(t)
	w := newWreck(t, e, ns)
	for writes := range 40 {
		// One write, and then it is killed.
		u := taker(writer(t, e, 1), ns)
		survey, err := u.Survey(t.Context())
		g.Expect(err).NotTo(HaveOccurred())
		if survey.Ours() == 0 {
			g.Expect(writes).To(BeNumerically(">", 5))
			break
		}
		_ = u.TakeBack(t.Context(), survey, func(uninstall.Item, error) {})
		there := w.read(t, e)
		g.Expect(w.off()).To(BeFalse(), "the host is let on by the first write")
		if restored := w.node.Labels["team"] == "a" && w.node.Spec.Unschedulable && len(w.node.Spec.Taints) < 3; !there {
			g.Expect(restored).To(BeTrue(), "the record goes when the Node has everything back")
		}
	}
	g.Expect(w.read(t, e)).To(BeFalse())
	g.Expect(w.host.Annotations).To(Equal(map[string]string{"reboot.metal3.io/of-others": ""}))
	g.Expect(w.machine.Annotations).To(BeEmpty())
	g.Expect(w.node.Annotations).To(HaveKeyWithValue("example.dev/x", "y"))
	g.Expect(fmt.Sprint(w.node)).NotTo(ContainSubstring("sickbay"))
	for _, taint := range w.node.Spec.Taints {
		g.Expect(taint.Key).NotTo(Equal(corev1.TaintNodeOutOfService))
	}
}

// TestNodeThatIsNotThere: a Node may come back only after its host has booted. Until then, the record of what it had stays.
func TestNodeThatIsNotThere(t *testing.T) {
	e, g := env.Get(t), NewWithT(t)
	ns := e.Namespace(t)
	w := newWreck(t, e, ns)
	g.Expect(e.Client.Delete(t.Context(), w.node)).To(Succeed())
	reported := map[string]string{}
	report := func(item uninstall.Item, err error) { reported[item.String()] += fmt.Sprint(err) }
	u := taker(e.Client, ns)
	survey, err := u.Survey(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(u.TakeBack(t.Context(), survey, report)).NotTo(Succeed())
	g.Expect(reported["RebootRemediation "+ns+"/metal"]).To(And(ContainSubstring("is not there, so nothing can be put back on it yet"), ContainSubstring("it stays, as its Node")))
	g.Expect(reported["BareMetalHost "+ns+"/host"]).To(Equal("<nil>"), "the host may power on anyway")

	u.LeaveNodes = true
	survey, err = u.Survey(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(u.TakeBack(t.Context(), survey, report)).To(Succeed())
	survey, err = u.Survey(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(survey.Ours()).To(BeZero())
}

// TestOwnRights: the survey lists what the person may not read, and does not treat it as absent. An object that may not be written does not keep
// others from being removed.
func TestOwnRights(t *testing.T) {
	e, g := env.Get(t), NewWithT(t)
	ns := e.Namespace(t)
	w := newWreck(t, e, ns)
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "part-of-" + ns}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{"cluster.x-k8s.io", "machine.openshift.io"}, Resources: []string{"*"}, Verbs: []string{"*"}},
		{APIGroups: []string{"sickbay.dev"}, Resources: []string{"*"}, Verbs: []string{"get", "list"}},
	}}
	binding := &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: role.Name}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.UserKind, Name: "jo-" + ns, APIGroup: rbacv1.GroupName}}}
	build.Create(t.Context(), t, e.Client, role, binding)
	t.Cleanup(func() {
		if err := errors.Join(e.Client.Delete(context.Background(), binding), e.Client.Delete(context.Background(), role)); err != nil {
			t.Error(err)
		}
	})
	config := rest.CopyConfig(e.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: "jo-" + ns}
	c, err := client.New(config, client.Options{Scheme: e.Scheme})
	g.Expect(err).NotTo(HaveOccurred())
	u := taker(c, ns)
	var survey uninstall.Survey
	g.Eventually(func() error { survey, err = u.Survey(t.Context()); return err }).Should(Succeed())
	g.Expect(fmt.Sprint(survey.Unread)).To(And(ContainSubstring("BareMetalHost.metal3.io"), ContainSubstring("leases")))
	g.Expect(survey.LeadersUnread).To(BeTrue())
	g.Expect(u.TakeBack(t.Context(), survey, func(uninstall.Item, error) {})).NotTo(Succeed())
	g.Expect(w.read(t, e)).To(BeTrue(), "a record stays whose host cannot be seen")
	g.Expect(w.machine.Annotations).To(BeEmpty(), "what may be written is taken back")
	g.Expect(w.off()).To(BeTrue())
}

// takesBack surveys, and takes everything back.
func takesBack(t *testing.T, u *uninstall.Uninstaller) {
	t.Helper()
	survey, err := u.Survey(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := u.TakeBack(t.Context(), survey, func(uninstall.Item, error) {}); err != nil {
		t.Fatal(err)
	}
}

// TestSomebodyElsesNow: what has changed since the survey is read again, and what belongs to somebody else now stays.
func TestSomebodyElsesNow(t *testing.T) {
	e, g := env.Get(t), NewWithT(t)
	ns := e.Namespace(t)
	machine := build.Machine(ns, "m", build.Annotation("reboot.metal3.io", "5f2c9d1e-0000-4000-8000-000000000001/1"))
	build.Create(t.Context(), t, e.Client, machine)
	t.Cleanup(func() {
		if err := e.Client.Delete(context.Background(), machine); err != nil {
			t.Error(err)
		}
	})
	u := taker(e.Client, ns)
	survey, err := u.Survey(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(survey.Ours()).To(Equal(1))
	patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{"reboot.metal3.io":"asked-by-a-person"}}}`))
	g.Expect(e.Client.Patch(t.Context(), machine, patch)).To(Succeed())
	g.Expect(u.TakeBack(t.Context(), survey, func(uninstall.Item, error) {})).To(Succeed())
	g.Expect(e.Client.Get(t.Context(), client.ObjectKeyFromObject(machine), machine)).To(Succeed())
	g.Expect(machine.Annotations).To(Equal(map[string]string{"reboot.metal3.io": "asked-by-a-person"}))
}

// TestNodeOfAnotherMachine: the machine is gone, and another one has a Node of the same name now. Nothing is put on that Node, and nothing waits for
// it.
func TestNodeOfAnotherMachine(t *testing.T) {
	e, g := env.Get(t), NewWithT(t)
	ns := e.Namespace(t)
	w := newWreck(t, e, ns)
	g.Expect(e.Client.Delete(t.Context(), w.machine)).To(Succeed())
	g.Expect(e.Client.Delete(t.Context(), w.node)).To(Succeed())
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: w.node.Name}}
	next := build.Machine(ns, "next", build.MachineFunc(func(m *clusterv1.Machine) { m.Status.NodeRef.Name = node.Name }))
	build.Create(t.Context(), t, e.Client, node, next)
	u := taker(e.Client, ns)
	takesBack(t, u)
	g.Expect(e.Client.Get(t.Context(), client.ObjectKeyFromObject(node), node)).To(Succeed())
	g.Expect(node.Labels).NotTo(HaveKey("team"))
	g.Expect(node.Spec.Unschedulable).To(BeFalse())
	survey, err := u.Survey(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(survey.Ours()).To(BeZero())
}

// TestKindsStayWithWhatWasNotRead: unread objects may still need their kind: without it, the record of a host that is kept off would go.
func TestKindsStayWithWhatWasNotRead(t *testing.T) {
	e, g := env.Get(t), NewWithT(t)
	ns := e.Namespace(t)
	w := newWreck(t, e, ns)
	deleted := []string{}
	c := e.Intercept(t, interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			if kind := list.GetObjectKind().GroupVersionKind().Kind; kind == "RebootRemediationList" || kind == "BareMetalHostList" {
				return apierrors.NewForbidden(schema.GroupResource{Resource: kind}, "", errors.New("no"))
			}
			return c.List(ctx, list, opts...)
		},
		Delete: func(_ context.Context, _ client.WithWatch, obj client.Object, _ ...client.DeleteOption) error {
			if obj.GetObjectKind().GroupVersionKind().Kind == "CustomResourceDefinition" {
				deleted = append(deleted, obj.GetName())
			}
			return nil
		},
	})
	u := taker(c, "")
	u.Definitions = true
	survey, err := u.Survey(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	survey.Items = slices.DeleteFunc(survey.Items, func(i uninstall.Item) bool { return i.Kind.Kind != "CustomResourceDefinition" })
	g.Expect(survey.Items).NotTo(BeEmpty())
	refused := 0
	_ = u.TakeBack(t.Context(), survey, func(_ uninstall.Item, err error) {
		if err != nil {
			refused++
		}
	})
	g.Expect(deleted).To(BeEmpty())
	g.Expect(refused).To(Equal(len(survey.Items)))
	g.Expect(w.read(t, e)).To(BeTrue())
}

// TestNodeOfOpenShift: the Node of a Machine of OpenShift is in the management cluster itself, and gets everything back.
func TestNodeOfOpenShift(t *testing.T) {
	e, g := env.Get(t), NewWithT(t)
	ns := e.Namespace(t)
	machine := &machinev1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "worker"}}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-of-" + ns}}
	build.Create(t.Context(), t, e.Client, machine, node)
	request := &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{
		Namespace: ns, Name: "r-1", Finalizers: []string{"sickbay.dev/reboot-node"},
	}, Spec: cycleOf(machinev1.GroupName, machine.Name)}
	request.Status = v1alpha1.RebootRemediationStatus{Phase: v1alpha1.Restoring, MachineUID: machine.UID, Node: &v1alpha1.NodeRecord{
		Name: node.Name, UID: "before", OutOfService: true, Backup: &v1alpha1.NodeBackup{TakenAt: metav1.Now(), Labels: map[string]string{"team": "a"}},
	}}
	build.Create(t.Context(), t, e.Client, request)
	u := taker(e.Client, ns)
	u.Workload = func(context.Context, client.ObjectKey) (client.Client, error) {
		return nil, errors.New("there is none")
	}
	takesBack(t, u)
	g.Expect(e.Client.Get(t.Context(), client.ObjectKeyFromObject(node), node)).To(Succeed())
	g.Expect(node.Labels).To(HaveKeyWithValue("team", "a"))
	g.Expect(apierrors.IsNotFound(e.Client.Get(t.Context(), client.ObjectKeyFromObject(request), request))).To(BeTrue())
}

// TestNobodyElseInManagedFields: an object may have lost the names of all earlier writers. It can be cleaned like any other.
func TestNobodyElseInManagedFields(t *testing.T) {
	e, g := env.Get(t), NewWithT(t)
	ns := e.Namespace(t)
	host := &metal3v1.BareMetalHost{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "h"}}
	host.Spec.Online = true
	g.Expect(e.Client.Create(t.Context(), host, client.FieldOwner("sickbay"))).To(Succeed())
	u := taker(e.Client, ns)
	survey, err := u.Survey(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(survey.Ours()).To(Equal(1))
	g.Expect(u.TakeBack(t.Context(), survey, func(uninstall.Item, error) {})).To(Succeed())
	g.Expect(e.Client.Get(t.Context(), client.ObjectKeyFromObject(host), host)).To(Succeed())
	g.Expect(fmt.Sprint(host)).NotTo(ContainSubstring("sickbay"))
	g.Expect(host.Spec.Online).To(BeTrue())
}
