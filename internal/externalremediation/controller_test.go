package externalremediation

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	machinev1 "github.com/openshift/api/machine/v1beta1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	testingclock "k8s.io/utils/clock/testing"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// harness is an OpenShift Machine with its Node, and a MachineHealthCheck that calls it unhealthy because of its disk.
type harness struct {
	*Reconciler
	t       *testing.T
	env     *env.Env
	clock   *testingclock.FakePassiveClock
	events  *events.FakeRecorder
	machine *machinev1.Machine
	node    *corev1.Node
}

func newHarness(t *testing.T) *harness {
	t.Helper()
	e := env.Get(t)
	ns := e.Namespace(t)
	f := &harness{t: t, env: e, clock: testingclock.NewFakePassiveClock(time.Now()), events: events.NewFakeRecorder(20)}
	labels := map[string]string{"machine.openshift.io/cluster-api-machine-role": "worker"}
	f.machine = &machinev1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "m", Labels: labels}}
	f.node = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: ns}}
	check := &machinev1.MachineHealthCheck{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "check"}, Spec: machinev1.MachineHealthCheckSpec{
		Selector:            metav1.LabelSelector{MatchLabels: labels},
		UnhealthyConditions: []machinev1.UnhealthyCondition{{Type: "DiskPressure", Status: "True", Timeout: metav1.Duration{Duration: time.Minute}}},
	}}
	others := check.DeepCopy()
	others.Name, others.Spec.Selector.MatchLabels = "others", map[string]string{"of": "others"}
	others.Spec.UnhealthyConditions = []machinev1.UnhealthyCondition{{Type: "Ready", Status: "True", Timeout: metav1.Duration{Duration: time.Minute}}}
	build.Create(t.Context(), t, e.Client, f.machine, f.node, check, others)
	t.Cleanup(func() { _ = e.Client.Delete(context.WithoutCancel(t.Context()), f.node) })
	f.machine.Status.NodeRef = &corev1.ObjectReference{Kind: "Node", Name: f.node.Name}
	f.must(e.Client.Status().Update(t.Context(), f.machine))
	f.Reconciler = &Reconciler{Client: e.Client, Live: e.Client, Recorder: f.events, Clock: f.clock}
	f.is("Ready", corev1.ConditionUnknown)
	return f
}

func (f *harness) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// is gives the Node this condition and no other.
func (f *harness) is(condition corev1.NodeConditionType, status corev1.ConditionStatus, more ...corev1.NodeCondition) {
	f.t.Helper()
	f.must(f.env.Client.Get(f.t.Context(), client.ObjectKeyFromObject(f.node), f.node))
	f.node.Status.Conditions = append([]corev1.NodeCondition{{Type: condition, Status: status}}, more...)
	f.must(f.env.Client.Status().Update(f.t.Context(), f.node))
}

// annotated does what OpenShift's health check does, or a person who takes that back.
func (f *harness) annotated(want bool) {
	f.t.Helper()
	value := "null"
	if want {
		value = `""`
	}
	patch := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"annotations":{"`+Annotation+`":`+value+`}}}`))
	f.must(f.env.Client.Patch(f.t.Context(), f.machine, patch))
}

// settles reconciles until nothing is left to do.
func (f *harness) settles() time.Duration {
	f.t.Helper()
	var again time.Duration
	for range 5 {
		result, err := f.Reconcile(f.t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(f.machine)})
		f.must(err)
		again = result.RequeueAfter
	}
	f.must(f.env.Client.Get(f.t.Context(), client.ObjectKeyFromObject(f.machine), f.machine))
	return again
}

// request returns the request that is not being deleted; nil if there is none.
func (f *harness) request() *v1alpha1.RebootRemediation {
	f.t.Helper()
	var all v1alpha1.RebootRemediationList
	f.must(f.env.Client.List(f.t.Context(), &all, client.InNamespace(f.machine.Namespace)))
	all.Items = slices.DeleteFunc(all.Items, func(r v1alpha1.RebootRemediation) bool { return !r.DeletionTimestamp.IsZero() })
	if len(all.Items) > 1 {
		f.t.Fatalf("there are %d RebootRemediations", len(all.Items))
	}
	if len(all.Items) == 0 {
		return nil
	}
	return &all.Items[0]
}

// ends ends the cycle as the reboot controller does.
func (f *harness) ends(phase v1alpha1.Phase, message string) {
	f.t.Helper()
	request := f.request()
	request.Status = made(phase, 0, message).Status
	request.Status.FinishedAt = new(metav1.NewTime(f.clock.Now()))
	request.Status.Conditions[0].LastTransitionTime = metav1.NewTime(f.clock.Now())
	f.must(f.env.Client.Status().Update(f.t.Context(), request))
}

func (f *harness) wantAnnotations(want map[string]string) {
	f.t.Helper()
	if diff := cmp.Diff(want, f.machine.Annotations, cmpopts.EquateEmpty()); diff != "" {
		f.t.Errorf("annotations (-want +got):\n%s", diff)
	}
}

// TestHealed: one annotation leads to one cycle, and is removed when the machine is healthy. The next annotation is a new request.
func TestHealed(t *testing.T) {
	f := newHarness(t)
	f.settles()
	if f.request() != nil {
		t.Fatal("nobody has asked for anything")
	}
	f.annotated(true)
	f.settles()
	first := f.request()
	want := v1alpha1.RebootRemediationSpec{
		Machine:     &v1alpha1.MachineReference{APIGroup: "machine.openshift.io", Name: "m"},
		RequestedBy: &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByHealthCheck},
	}
	if diff := cmp.Diff(want, first.Spec, cmpopts.IgnoreFields(v1alpha1.RebootRemediationSpec{}, "RebootSettings")); diff != "" {
		t.Errorf("it asks for (-want +got):\n%s", diff)
	}
	f.ends(v1alpha1.Succeeded, "The Node is back")
	f.settles()
	f.wantAnnotations(map[string]string{Annotation: ""})

	f.is("Ready", corev1.ConditionTrue, corev1.NodeCondition{Type: "DiskPressure", Status: corev1.ConditionTrue})
	f.settles()
	f.wantAnnotations(map[string]string{Annotation: ""})
	f.is("Ready", corev1.ConditionTrue)
	f.settles()
	f.wantAnnotations(nil)
	if f.request() != nil {
		t.Error("the record of what is done stays")
	}

	f.is("Ready", corev1.ConditionUnknown)
	f.annotated(true)
	f.settles()
	if second := f.request(); second == nil || second.UID == first.UID {
		t.Errorf("asked once more: %v", second)
	}
}

// TestInVain: the host is not cycled for ever. The Machine shows the outcome until it is healthy. A person who deletes the
// RebootRemediation gets another cycle.
func TestInVain(t *testing.T) {
	f := newHarness(t)
	f.annotated(true)
	f.settles()
	f.ends(v1alpha1.Failed, "The host could not be proven off within 10m0s")
	failed := f.request()
	if again := f.settles(); again <= 0 || again > lookAgain {
		t.Errorf("it looks again after %s", again)
	}
	told := f.machine.Annotations[rebootannotation.Outcome]
	f.wantAnnotations(map[string]string{Annotation: "", rebootannotation.Outcome: outcome(failed)})
	if n := len(f.events.Events); n != 1 {
		t.Errorf("there were %d events for %q", n, told)
	}
	if request := f.request(); request == nil || request.UID != failed.UID {
		t.Error("it is cycled again")
	}

	f.must(f.env.Client.Delete(t.Context(), failed))
	f.settles()
	f.wantAnnotations(map[string]string{Annotation: ""})
	if request := f.request(); request == nil || request.UID == failed.UID {
		t.Error("it is not cycled again")
	}
	f.ends(v1alpha1.Failed, "no")
	f.settles()
	f.is("Ready", corev1.ConditionTrue)
	f.settles()
	f.wantAnnotations(nil)
}

// TestTakenBack: removing the annotation withdraws the cycle. A cache that does not show the annotation yet withdraws nothing.
func TestTakenBack(t *testing.T) {
	f := newHarness(t)
	old := scaffold.MetadataOf(Kind)
	f.must(f.env.Client.Get(t.Context(), client.ObjectKeyFromObject(f.machine), old))
	f.annotated(true)
	f.settles()
	lagging := f.env.Intercept(t, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			if got, ok := obj.(*metav1.PartialObjectMetadata); ok {
				old.DeepCopyInto(got)
				return nil
			}
			return c.Get(ctx, key, obj, opts...)
		},
	})
	f.Client = lagging
	f.settles()
	if f.request() == nil {
		t.Error("it was taken back by an old cache")
	}
	f.Client = f.env.Client
	f.annotated(false)
	f.settles()
	if f.request() != nil {
		t.Error("it was not taken back")
	}
}

// TestHealthyBefore: the machine recovers before Sickbay does anything.
func TestHealthyBefore(t *testing.T) {
	f := newHarness(t)
	f.is("Ready", corev1.ConditionTrue)
	f.annotated(true)
	f.settles()
	f.wantAnnotations(nil)
	if f.request() != nil {
		t.Error("a healthy machine is cycled")
	}
}

// providerLeads has OpenShift's own provider take its Lease.
func (f *harness) providerLeads() {
	f.t.Helper()
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: f.machine.Namespace, Name: ProviderLease}}
	lease.Spec.HolderIdentity, lease.Spec.LeaseDurationSeconds = new("capbm"), new(int32(120))
	lease.Spec.RenewTime = new(metav1.NewMicroTime(f.clock.Now()))
	f.must(f.env.Client.Create(f.t.Context(), lease))
}

// TestProviderKeepsItsAnnotation: OpenShift's provider stops in the middle of a power cycle if its annotation goes. The Node may read Ready meanwhile: for
// 40 seconds after the host went off, and before its labels are back.
func TestProviderKeepsItsAnnotation(t *testing.T) {
	f := newHarness(t)
	f.providerLeads()
	f.annotated(true)
	f.settles()
	f.is("Ready", corev1.ConditionTrue)
	f.settles()
	if _, asked := f.machine.Annotations[Annotation]; !asked {
		t.Error("Sickbay has removed the annotation that OpenShift's provider is carrying out")
	}
}

// TestProviderAtWork: while OpenShift's own provider runs, two controllers would cycle the host.
func TestProviderAtWork(t *testing.T) {
	f := newHarness(t)
	f.providerLeads()
	f.annotated(true)
	f.settles()
	if f.request() != nil || f.machine.Annotations[rebootannotation.Outcome] == "" {
		t.Errorf("%v was made, and it says %q", f.request(), f.machine.Annotations[rebootannotation.Outcome])
	}
	f.clock.SetTime(f.clock.Now().Add(3 * time.Minute))
	f.settles()
	if f.request() == nil {
		t.Error("the provider is gone, and nothing is done")
	}
	f.wantAnnotations(map[string]string{Annotation: ""})
}

// TestNextIncident: the outcome of an incident says nothing about the next one, even if its record stays for the Node, or the annotation
// comes back before anybody saw that it was gone.
func TestNextIncident(t *testing.T) {
	f := newHarness(t)
	f.annotated(true)
	f.settles()
	f.ends(v1alpha1.Failed, "The Node did not come back within 20m0s")
	first := f.request()
	first.Finalizers = []string{cycle.NodeFinalizer}
	f.must(f.env.Client.Update(t.Context(), first))
	f.settles()
	if f.machine.Annotations[rebootannotation.Outcome] == "" {
		t.Fatal("it is not told that it was in vain")
	}
	f.is("Ready", corev1.ConditionTrue)
	// The annotation is removed last: if it is set again, that is another incident.
	for range 10 {
		_, err := f.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(f.machine)})
		f.must(err)
		f.must(f.env.Client.Get(t.Context(), client.ObjectKeyFromObject(f.machine), f.machine))
		if _, asked := f.machine.Annotations[Annotation]; !asked {
			break
		}
	}
	f.is("Ready", corev1.ConditionUnknown)
	f.annotated(true)
	f.settles()
	f.wantAnnotations(map[string]string{Annotation: ""})
	if second := f.request(); second == nil || second.UID == first.UID || second.Name == first.Name {
		t.Errorf("asked once more: %v", second)
	}
	f.ends(v1alpha1.Aborted, "The machine has recovered by itself")
	recovered := f.request()
	recovered.Status.Outcome = v1alpha1.ReasonRecovered
	f.must(f.env.Client.Status().Update(t.Context(), recovered))
	f.settles()
	f.wantAnnotations(map[string]string{Annotation: ""})
	if third := f.request(); third == nil || third.UID == recovered.UID {
		t.Errorf("sick again, and asked for all the time: %v", third)
	}
}

// TestOfAnotherManager: Machines without the label are left to other managers.
func TestOfAnotherManager(t *testing.T) {
	f := newHarness(t)
	f.WatchFilter = "ours"
	f.annotated(true)
	f.settles()
	if f.request() != nil {
		t.Error("a Machine of another manager is looked after")
	}
	f.must(f.env.Client.Patch(t.Context(), f.machine, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"labels":{"`+clusterv1.WatchLabel+`":"ours"}}}`))))
	f.settles()
	if f.request() == nil {
		t.Error("a Machine with the label is left alone")
	}
}
