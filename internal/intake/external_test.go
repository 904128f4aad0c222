package intake

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	machinev1 "github.com/openshift/api/machine/v1beta1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	testingclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/intake/ask"
	"github.com/sickbay-dev/sickbay/internal/openshift"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// external is a Machine of OpenShift with its Node.
type external struct {
	*harness
	node *corev1.Node
	of   *machinev1.Machine
}

func newExternal(t *testing.T) *external {
	t.Helper()
	e := env.Get(t)
	ns := e.Namespace(t)
	f := &external{harness: &harness{t: t, env: e, ns: ns, events: events.NewFakeRecorder(20)}}
	f.of = &machinev1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "m"}}
	f.node = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: ns}}
	build.Create(t.Context(), t, e.Client, f.of, f.node)
	t.Cleanup(func() { _ = e.Client.Delete(context.WithoutCancel(t.Context()), f.node) })
	f.of.Status.NodeRef = &corev1.ObjectReference{Kind: "Node", Name: f.node.Name}
	f.must(e.Client.Status().Update(t.Context(), f.of))
	f.Reconciler = &Reconciler{
		Kind: openshift.Kind, External: true, Client: e.Client, Live: e.Client, Recorder: f.events, Clock: testingclock.NewFakePassiveClock(time.Now()),
	}
	f.ready(corev1.ConditionUnknown)
	return f
}

func (f *external) ready(status corev1.ConditionStatus) {
	f.t.Helper()
	f.must(f.env.Client.Get(f.t.Context(), client.ObjectKeyFromObject(f.node), f.node))
	f.node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: status}}
	f.must(f.env.Client.Status().Update(f.t.Context(), f.node))
}

// asked does what OpenShift's health check does.
func (f *external) asked() {
	f.t.Helper()
	before := f.of.DeepCopy()
	f.of.Annotations = map[string]string{ask.External: ""}
	f.must(f.env.Client.Patch(f.t.Context(), f.of, client.MergeFrom(before)))
}

func (f *external) settles() {
	f.t.Helper()
	f.machine = build.Machine(f.ns, "m")
	f.must(f.tryReconcile())
	f.must(f.env.Client.Get(f.t.Context(), client.ObjectKeyFromObject(f.of), f.of))
}

func (f *external) want(annotations map[string]string) {
	f.t.Helper()
	if diff := cmp.Diff(annotations, f.of.Annotations, cmpopts.EquateEmpty()); diff != "" {
		f.t.Errorf("annotations (-want +got):\n%s", diff)
	}
}

// TestExternalHealed: the annotation becomes one record, which has neither a Cluster nor an owner, and goes when the machine is healthy. The next
// annotation becomes another.
func TestExternalHealed(t *testing.T) {
	f := newExternal(t)
	f.asked()
	f.settles()
	made := f.record()
	if made.Spec.ClusterName != "" || len(made.OwnerReferences) > 0 || made.Spec.MachineRef.APIGroup != "machine.openshift.io" || made.Spec.RequestedBy.Kind != v1alpha1.AskedByHealthCheck {
		t.Errorf("it is %+v, owned by %v", made.Spec, made.OwnerReferences)
	}
	f.want(map[string]string{ask.External: "", rebootannotation.Outcome: "MachineRemediation " + made.Name + ": has the host power-cycled"})
	f.ends(made, metav1.ConditionTrue, v1alpha1.ReasonRecovered)
	f.ready(corev1.ConditionTrue)
	f.settles()
	f.want(nil)
	f.ready(corev1.ConditionUnknown)
	f.asked()
	f.settles()
	if n := len(f.records()); n != 2 {
		t.Errorf("there are %d records", n)
	}
}

// TestExternalProvider: another program carries the annotation out. Sickbay makes no record, and says so once.
func TestExternalProvider(t *testing.T) {
	f := newExternal(t)
	f.asked()
	build.Create(t.Context(), t, f.env.Client, &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: f.ns, Name: ProviderLease},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity: new("capbm"), LeaseDurationSeconds: new(int32(60)), RenewTime: new(metav1.NewMicroTime(f.Clock.Now())),
		},
	})
	f.settles()
	f.settles()
	if n := len(f.records()); n > 0 || !strings.Contains(f.of.Annotations[rebootannotation.Outcome], "cluster-api-provider-baremetal runs") || len(f.events.Events) != 1 {
		t.Errorf("there are %d records, annotations %v, and %d events", n, f.of.Annotations, len(f.events.Events))
	}
}
