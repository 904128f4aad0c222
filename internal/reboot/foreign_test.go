package reboot

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	machinev1 "github.com/openshift/api/machine/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/metrics"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// TestWatchFilter: of several managers with different watch filters, only one cycles the hosts of a Cluster. If the Machine is gone, all of them
// look after what is left.
func TestWatchFilter(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	labels := func(filter string) map[string]string { return map[string]string{clusterv1.WatchLabel: filter} }
	for _, name := range []string{"ours", "theirs"} {
		cluster := build.Cluster(ns, name)
		cluster.Labels = labels(name)
		machine := build.Machine(ns, name+"-capi", build.Annotation("reboot.metal3.io", ""))
		machine.Labels[clusterv1.ClusterNameLabel], machine.Spec.ClusterName = name, name
		openshift := &machinev1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name + "-openshift", Labels: labels(name), Annotations: machine.Annotations}}
		build.Create(t.Context(), t, e.Client, cluster, machine, openshift)
	}
	orphan := build.Machine(ns, "of-no-cluster", build.Annotation("reboot.metal3.io", ""))
	orphan.Labels[clusterv1.ClusterNameLabel] = "gone"
	build.Create(t.Context(), t, e.Client, orphan)
	for _, tt := range []struct {
		kind    schema.GroupVersionKind
		machine string
		looks   bool
	}{
		{ClusterAPIKind, "ours-capi", true}, {ClusterAPIKind, "theirs-capi", false}, {ClusterAPIKind, "of-no-cluster", true},
		{OpenShiftKind, "ours-openshift", true}, {OpenShiftKind, "theirs-openshift", false},
	} {
		key := client.ObjectKey{Namespace: ns, Name: tt.machine}
		trigger := &AnnotationReconciler{Kind: tt.kind, Client: e.Client, Live: e.Client, WatchFilter: "ours"}
		if _, err := trigger.Reconcile(t.Context(), ctrl.Request{NamespacedName: key}); err != nil {
			t.Fatal(err)
		}
		machine := scaffold.MetadataOf(tt.kind)
		if err := e.Client.Get(t.Context(), key, machine); err != nil {
			t.Fatal(err)
		}
		asked := client.ObjectKey{Namespace: ns, Name: RequestName(machine, askedPurpose)}
		err := e.Client.Get(t.Context(), asked, &v1alpha1.RebootRemediation{})
		if client.IgnoreNotFound(err) != nil || apierrors.IsNotFound(err) == tt.looks {
			t.Errorf("%s: looking for what was made: %v", tt.machine, err)
		}
		byHand := &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: tt.machine}}
		byHand.Spec.Machine = &v1alpha1.MachineReference{APIGroup: tt.kind.Group, Name: tt.machine}
		judges(t, e, tt.kind, byHand, tt.looks)
	}
	gone := &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "gone"}}
	gone.Spec.Machine = &v1alpha1.MachineReference{APIGroup: ClusterAPIKind.Group, Name: "gone"}
	judges(t, e, ClusterAPIKind, gone, true)
}

// judges makes a RebootRemediation, and checks whether a manager with a watch filter touches it.
func judges(t *testing.T, e *env.Env, kind schema.GroupVersionKind, request *v1alpha1.RebootRemediation, want bool) {
	t.Helper()
	build.Create(t.Context(), t, e.Client, request)
	r := &Reconciler{
		Kind: kind, Client: e.Client, Live: e.Client, Mapper: e.Client.RESTMapper(), Clock: clocktesting.NewFakePassiveClock(noon.Time),
		Recorder: events.NewFakeRecorder(10), WatchFilter: "ours",
	}
	version := request.ResourceVersion
	if _, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(request)}); err != nil {
		t.Fatal(err)
	}
	if err := e.Client.Get(t.Context(), client.ObjectKeyFromObject(request), request); err != nil {
		t.Fatal(err)
	}
	if touched := request.ResourceVersion != version; touched != want {
		t.Errorf("%s: touched is %v", request.Name, touched)
	}
}

// TestMetricsOfWatchFilter: of several managers with different watch filters, only one shows a cycle; otherwise a sum over them would count it
// twice.
func TestMetricsOfWatchFilter(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	for _, name := range []string{"ours", "theirs"} {
		labels := map[string]string{clusterv1.WatchLabel: name}
		cluster := build.Cluster(ns, name)
		cluster.Labels = labels
		machine := build.Machine(ns, name+"-capi")
		machine.Labels[clusterv1.ClusterNameLabel], machine.Spec.ClusterName = name, name
		openshift := &machinev1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name + "-openshift", Labels: labels}}
		build.Create(t.Context(), t, e.Client, cluster, machine, openshift)
		for kind, machine := range map[schema.GroupVersionKind]string{ClusterAPIKind: name + "-capi", OpenShiftKind: name + "-openshift"} {
			request := &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: machine}}
			request.Spec.Machine = &v1alpha1.MachineReference{APIGroup: kind.Group, Name: machine}
			build.Create(t.Context(), t, e.Client, request)
			request.Status.Phase = v1alpha1.PoweringOff
			if err := e.Client.Status().Update(t.Context(), request); err != nil {
				t.Fatal(err)
			}
		}
	}
	for filter, want := range map[string]float64{"": 4, "ours": 2, "theirs": 2} {
		var s metrics.Samples
		(&Reconciler{Kind: ClusterAPIKind, Client: e.Client, WatchFilter: filter}).Metrics(t.Context(), &s)
		if got, _ := s.Get(rebootsGauge, ns, string(v1alpha1.PoweringOff)); got != want {
			t.Errorf("with the filter %q %v cycles are shown, not %v", filter, got, want)
		}
	}
}

// TestLeftByTheWatchFilter: somebody removes the label from a Cluster, or gives the manager a filter, during a cycle. No other manager with a filter
// would look after the host, so this one still does. It begins no cycle there, and leaves alone what another manager has begun.
func TestLeftByTheWatchFilter(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	for name, label := range map[string]string{"none": "", "theirs": "theirs"} {
		cluster := build.Cluster(ns, name)
		openshift := &machinev1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name}}
		if label != "" {
			cluster.Labels, openshift.Labels = map[string]string{clusterv1.WatchLabel: label}, map[string]string{clusterv1.WatchLabel: label}
		}
		machine := build.Machine(ns, name)
		machine.Labels[clusterv1.ClusterNameLabel], machine.Spec.ClusterName = name, name
		build.Create(t.Context(), t, e.Client, cluster, machine, openshift)
	}
	for _, kind := range []schema.GroupVersionKind{ClusterAPIKind, OpenShiftKind} {
		r := &Reconciler{Kind: kind, Client: e.Client, Live: e.Client, WatchFilter: "ours"}
		for name, tt := range map[string]struct {
			machine string
			change  func(*v1alpha1.RebootRemediation)
			want    bool
		}{
			"the host is off":  {"none", func(r *v1alpha1.RebootRemediation) { r.Status.Host = &v1alpha1.HostIdentity{Name: "h"} }, true},
			"it was deleted":   {"none", func(r *v1alpha1.RebootRemediation) { r.DeletionTimestamp = &noon }, true},
			"it has not begun": {"none", func(*v1alpha1.RebootRemediation) {}, false},
			"it is over": {"none", func(r *v1alpha1.RebootRemediation) {
				r.Status.Host, r.Finalizers = &v1alpha1.HostIdentity{Name: "h"}, nil
			}, false},
			"another one's host is off":     {"theirs", func(r *v1alpha1.RebootRemediation) { r.Status.Host = &v1alpha1.HostIdentity{Name: "h"} }, false},
			"another one's, and is deleted": {"theirs", func(r *v1alpha1.RebootRemediation) { r.DeletionTimestamp = &noon }, false},
		} {
			request := &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: tt.machine, Finalizers: []string{cycle.Finalizer}}}
			request.Spec.Machine = &v1alpha1.MachineReference{APIGroup: kind.Group, Name: tt.machine}
			tt.change(request)
			if mine, err := r.isMine(t.Context(), request); err != nil || mine != tt.want {
				t.Errorf("%s, %s: it is mine: %t, %v", kind.Group, name, mine, err)
			}
		}
	}
}

// TestMachineWithoutClusterLabel: without Cluster API's webhooks, the label with the name of the Cluster is missing. The Machine belongs to that
// Cluster all the same, so two managers must not cycle its host.
func TestMachineWithoutClusterLabel(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	cluster := build.Cluster(ns, "theirs")
	cluster.Labels = map[string]string{clusterv1.WatchLabel: "theirs"}
	machine := build.Machine(ns, "m", build.Annotation("reboot.metal3.io", ""))
	machine.Labels, machine.Spec.ClusterName = nil, "theirs"
	build.Create(t.Context(), t, e.Client, cluster, machine)
	key := client.ObjectKeyFromObject(machine)
	trigger := &AnnotationReconciler{Kind: ClusterAPIKind, Client: e.Client, Live: e.Client, WatchFilter: "ours"}
	if _, err := trigger.Reconcile(t.Context(), ctrl.Request{NamespacedName: key}); err != nil {
		t.Fatal(err)
	}
	var made v1alpha1.RebootRemediationList
	if err := e.Client.List(t.Context(), &made, client.InNamespace(ns)); err != nil || len(made.Items) > 0 {
		t.Errorf("made %v: %v", made.Items, err)
	}
	byHand := &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "m"}}
	judges(t, e, ClusterAPIKind, byHand, false)
}

// TestLabelWakesUp: a Cluster gets the label after its Machine was annotated, and after a RebootRemediation was made. Only the label can wake the
// controllers.
func TestLabelWakesUp(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	cluster := build.Cluster(ns, "late")
	annotated, named := build.Machine(ns, "annotated", build.Annotation("reboot.metal3.io", "")), build.Machine(ns, "named")
	for _, m := range []*clusterv1.Machine{annotated, named} {
		m.Labels[clusterv1.ClusterNameLabel], m.Spec.ClusterName = "late", "late"
	}
	byHand := &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "named"}}
	build.Create(t.Context(), t, e.Client, cluster, annotated, named, byHand)
	e.Manager(t, env.ManagerOptions{Namespaces: []string{ns}, Setup: func(mgr ctrl.Manager) error {
		r := &Reconciler{Kind: ClusterAPIKind, Recorder: &events.FakeRecorder{}, SyncPeriod: time.Hour, Concurrency: 1, WatchFilter: "ours"}
		if err := r.AddToManager(mgr); err != nil {
			return err
		}
		return (&AnnotationReconciler{Kind: ClusterAPIKind, Concurrency: 1, WatchFilter: "ours"}).AddToManager(mgr)
	}})
	g := NewWithT(t)
	version := byHand.ResourceVersion
	made := func(g Gomega) (touched bool, all int) {
		var list v1alpha1.RebootRemediationList
		g.Expect(e.Client.List(t.Context(), &list, client.InNamespace(ns))).To(Succeed())
		g.Expect(e.Client.Get(t.Context(), client.ObjectKeyFromObject(byHand), byHand)).To(Succeed())
		return byHand.ResourceVersion != version, len(list.Items)
	}
	g.Consistently(func(g Gomega) {
		touched, all := made(g)
		g.Expect(touched).To(BeFalse())
		g.Expect(all).To(Equal(1))
	}, 2*time.Second).Should(Succeed())
	cluster.Labels = map[string]string{clusterv1.WatchLabel: "ours"}
	g.Expect(e.Client.Update(t.Context(), cluster)).To(Succeed())
	g.Eventually(func(g Gomega) {
		touched, all := made(g)
		g.Expect(touched).To(BeTrue())
		g.Expect(all).To(Equal(2))
	}, 30*time.Second).Should(Succeed())
}
