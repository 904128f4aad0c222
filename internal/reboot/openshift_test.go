package reboot

import (
	"context"
	"errors"
	"testing"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	machinev1 "github.com/openshift/api/machine/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// openShift is a Machine of OpenShift with its host, its Node, and a paused MachineHealthCheck that wants it cycled.
type openShift struct {
	*testing.T
	e       *env.Env
	r       *Reconciler
	machine *machinev1.Machine
	node    *corev1.Node
	check   *machinev1.MachineHealthCheck
	request *v1alpha1.RebootRemediation
}

func newOpenShift(t *testing.T, by v1alpha1.RequesterKind) *openShift {
	t.Helper()
	e := env.Get(t)
	ns, labels := e.Namespace(t), map[string]string{"role": "worker"}
	o := &openShift{T: t, e: e}
	o.machine = &machinev1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "m", Labels: labels, Annotations: map[string]string{HostAnnotation: ns + "/h"}}}
	o.node = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: ns}}
	o.check = &machinev1.MachineHealthCheck{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "check", Annotations: map[string]string{clusterv1.PausedAnnotation: ""}},
		Spec: machinev1.MachineHealthCheckSpec{
			Selector:            metav1.LabelSelector{MatchLabels: labels},
			UnhealthyConditions: []machinev1.UnhealthyCondition{{Type: corev1.NodeDiskPressure, Status: corev1.ConditionTrue, Timeout: metav1.Duration{Duration: time.Minute}}},
		},
	}
	host := &metal3v1.BareMetalHost{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "h"}}
	host.Spec.Online = true
	host.Spec.ConsumerRef = &corev1.ObjectReference{APIVersion: machinev1.GroupVersion.String(), Kind: "Machine", Namespace: ns, Name: "m"}
	host.Status = metal3v1.BareMetalHostStatus{PoweredOn: true, Provisioning: metal3v1.ProvisionStatus{State: metal3v1.StateProvisioned}}
	o.request = &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "r"}}
	o.request.Spec.Machine = &v1alpha1.MachineReference{APIGroup: OpenShiftKind.Group, Name: "m"}
	o.request.Spec.RequestedBy = &v1alpha1.RebootRequester{Kind: by}
	build.Create(t.Context(), t, e.Client, o.machine, o.node, o.check, host, o.request)
	t.Cleanup(func() { _ = e.Client.Delete(context.WithoutCancel(t.Context()), o.node) })
	o.machine.Status.NodeRef = &corev1.ObjectReference{Kind: "Node", Name: o.node.Name}
	o.must(e.Client.Status().Update(t.Context(), o.machine))
	o.r = newReconciler(e, OpenShiftKind, workload.Local{Live: e.Client, Config: e.Config})
	return o
}

func (o *openShift) must(err error) {
	o.Helper()
	if err != nil {
		o.Fatal(err)
	}
}

// is sets the conditions of the Node.
func (o *openShift) is(conditions ...corev1.NodeCondition) {
	o.Helper()
	node := reread(o.T, o.e, o.node)
	node.Status.Conditions = conditions
	o.must(o.e.Client.Status().Update(o.Context(), node))
}

// look runs the controller once, and returns the phase, and the outcome if the cycle has ended.
func (o *openShift) look() string {
	o.Helper()
	_, err := o.r.Reconcile(o.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(o.request)})
	o.must(err)
	s := reread(o.T, o.e, o.request).Status
	return string(s.Phase) + string(s.Outcome)
}

func (o *openShift) resume() {
	o.Helper()
	check := reread(o.T, o.e, o.check)
	check.Annotations = nil
	o.must(o.e.Client.Update(o.Context(), check))
}

// later lets the minute pass for judging the machine again.
func (o *openShift) later() {
	o.r.Clock = laterThan(o.r.Clock.Now(), 2*cycle.CoolDown)
}

// TestOpenShiftRecovers: a machine of OpenShift is not cycled if it recovers while the request of its health check
// waits.
func TestOpenShiftRecovers(t *testing.T) {
	const recovered, began = string(v1alpha1.Aborted) + v1alpha1.ReasonRecovered, string(v1alpha1.PoweringOff)
	isReady := corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionTrue}
	notReady := corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionFalse}
	full := corev1.NodeCondition{Type: corev1.NodeDiskPressure, Status: corev1.ConditionTrue}
	failed := func(o *openShift) {
		o.machine = reread(o.T, o.e, o.machine)
		o.machine.Status.Phase = new(machineFailed)
		o.must(o.e.Client.Status().Update(o.Context(), o.machine))
	}
	for name, tt := range map[string]struct {
		by   v1alpha1.RequesterKind
		is   []corev1.NodeCondition
		then func(*openShift)
		want string
	}{
		"it has recovered":        {v1alpha1.RequestedByHealthCheck, []corev1.NodeCondition{isReady}, nil, recovered},
		"it has not":              {v1alpha1.RequestedByHealthCheck, []corev1.NodeCondition{notReady}, nil, began},
		"a condition is left":     {v1alpha1.RequestedByHealthCheck, []corev1.NodeCondition{isReady, full}, nil, began},
		"the Machine has failed":  {v1alpha1.RequestedByHealthCheck, []corev1.NodeCondition{isReady}, failed, began},
		"a person asks":           {v1alpha1.RequestedByPerson, []corev1.NodeCondition{isReady}, nil, began},
		"that cannot be told":     {v1alpha1.RequestedByHealthCheck, []corev1.NodeCondition{isReady}, (*openShift).blind, began},
		"others matter to nobody": {v1alpha1.RequestedByHealthCheck, []corev1.NodeCondition{isReady, {Type: "Other", Status: corev1.ConditionTrue}}, nil, recovered},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOpenShift(t, tt.by)
			o.is(notReady)
			if got := o.look(); tt.by == v1alpha1.RequestedByHealthCheck && got != string(v1alpha1.Pending) {
				t.Fatalf("under a pause: %s", got)
			}
			o.is(tt.is...)
			if tt.then != nil {
				tt.then(o)
			}
			o.resume()
			o.look()
			o.later()
			if got := o.look(); got != tt.want {
				t.Errorf("it is %s", got)
			}
		})
	}
}

// blind makes the Node unreadable for the check of its health.
func (o *openShift) blind() {
	o.r.Live = o.e.Intercept(o.T, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			if _, ok := obj.(*corev1.Node); ok {
				return errors.New("no connection")
			}
			return c.Get(ctx, key, obj, opts...)
		},
	})
}

// TestOpenShiftRecoversBetweenAttempts: no further attempt follows if the machine recovers between two attempts.
func TestOpenShiftRecoversBetweenAttempts(t *testing.T) {
	o := newOpenShift(t, v1alpha1.RequestedByHealthCheck)
	o.resume()
	o.is(corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionFalse})
	if got := o.look(); got != string(v1alpha1.PoweringOff) {
		t.Fatalf("it is %s", got)
	}
	o.request.Status.Phase, o.request.Status.NextAttemptAt = v1alpha1.CoolingDown, new(metav1.NewTime(o.r.Clock.Now()))
	o.must(o.e.Client.Status().Update(t.Context(), o.request))
	o.is(corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionTrue})
	o.later()
	if got := o.look(); got != string(v1alpha1.Aborted)+v1alpha1.ReasonRecovered {
		t.Errorf("then it is %s", got)
	}
}
