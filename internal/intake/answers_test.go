package intake

import (
	"context"
	"errors"
	"strings"
	"testing"

	machinev1 "github.com/openshift/api/machine/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestRequestOfAMachineThatGoes: who asks is told how it ended also if the Machine is gone by then, and that there is none with that name.
func TestRequestOfAMachineThatGoes(t *testing.T) {
	byHand := func(machine string) func(*v1alpha1.RebootRemediation) {
		return func(r *v1alpha1.RebootRemediation) {
			r.Spec.RequestedBy = &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByPerson, Name: "ann"}
			r.Spec.Machine = &v1alpha1.MachineReference{APIGroup: clusterv1.GroupVersion.Group, Name: machine}
		}
	}
	t.Run("its record has ended", func(t *testing.T) {
		f := newHarness(t)
		request := f.ask("reboot-m", byHand("m"))
		f.reconcile()
		f.must(f.env.Client.Delete(t.Context(), f.machine))
		f.ends(f.record(), metav1.ConditionFalse, v1alpha1.ReasonMachineDeleted)
		f.must(f.tryReconcile())
		if got := f.told(request); !strings.HasPrefix(got, "False MachineDeleted") {
			t.Errorf("it is told %q, so a program that waits for Succeeded never ends", got)
		}
	})
	t.Run("there is none", func(t *testing.T) {
		f := newHarness(t)
		request := f.ask("reboot-x", byHand("x"))
		f.machine.Name = "x"
		f.must(f.tryReconcile())
		if got := f.told(request); got == "" {
			t.Error("it is told nothing")
		}
	})
}

// TestMachineOfClusterAPI: a Machine whose status.authoritativeAPI is ClusterAPI is the copy of one of Cluster API, with its annotations. Only that
// one is taken in, so the host is cycled once.
func TestMachineOfClusterAPI(t *testing.T) {
	f := newExternal(t)
	f.Live = f.env.Intercept(t, interceptor.Funcs{Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
		err := c.Get(ctx, key, obj, opts...)
		if m, ok := obj.(*machinev1.Machine); ok {
			// The usual definition does not have the field yet.
			m.Status.AuthoritativeAPI = machinev1.MachineAuthorityClusterAPI
		}
		return err
	}})
	before := f.of.DeepCopy()
	f.of.Annotations = map[string]string{rebootannotation.Request: "please"}
	f.must(f.env.Client.Patch(t.Context(), f.of, client.MergeFrom(before)))
	f.settles()
	if n := len(f.records()); n > 0 {
		t.Errorf("%d record is made, annotations %v", n, f.of.Annotations)
	}
}

// TestProgressGoesWithTheRequest: Cluster API deletes its request once the machine is healthy. Then the Machine does not say for ever that somebody is
// at work on it: Cluster API never removes the condition.
func TestProgressGoesWithTheRequest(t *testing.T) {
	f := newHarness(t, build.Verdict(metav1.ConditionFalse, build.Epoch))
	request := f.ask("m", f.ofCheck)
	f.reconcile()
	made := f.record()
	meta.SetStatusCondition(&made.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionProgressing, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonActing, Message: "Step reboot"})
	f.must(f.env.Client.Status().Update(t.Context(), made))
	f.reconcile()
	f.wantProgress(metav1.ConditionFalse, v1alpha1.ReasonActing)
	f.must(f.env.Client.Delete(t.Context(), request))
	f.reconcile()
	f.ends(made, metav1.ConditionTrue, v1alpha1.ReasonRecovered)
	f.reconcile()
	c := meta.FindStatusCondition(f.machine.Status.Conditions, clusterv1.MachineExternallyRemediatedCondition)
	if c != nil && c.Status == metav1.ConditionFalse {
		t.Errorf("the request is gone and the record has ended, and the Machine says %s %s: %s", c.Status, c.Reason, c.Message)
	}
}

// TestWithoutTheRightToMakeRecords: intake says so to who asks: on the request, or by an event on the Machine.
func TestWithoutTheRightToMakeRecords(t *testing.T) {
	refused := func(t *testing.T) *harness {
		t.Helper()
		f := newHarness(t)
		f.Client = f.env.Intercept(t, interceptor.Funcs{Create: func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error {
			return apierrors.NewForbidden(schema.GroupResource{Group: v1alpha1.GroupVersion.Group, Resource: "machineremediations"}, "m", errors.New("no rights"))
		}})
		return f
	}
	t.Run("a request", func(t *testing.T) {
		f := refused(t)
		request := f.ask("reboot-m", func(r *v1alpha1.RebootRemediation) {
			r.Spec.RequestedBy = &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByPerson, Name: "ann"}
			r.Spec.Machine = &v1alpha1.MachineReference{APIGroup: clusterv1.GroupVersion.Group, Name: "m"}
		})
		_ = f.tryReconcile()
		if got := f.told(request); got == "" {
			t.Error("it is told nothing")
		}
	})
	t.Run("an annotation", func(t *testing.T) {
		f := refused(t)
		f.annotate(rebootannotation.Request, "please")
		_ = f.tryReconcile()
		_ = f.tryReconcile()
		if n := len(f.events.Events); n != 1 {
			t.Errorf("%d events on the Machine", n)
		}
	})
}

// TestDrainWithoutCluster: when Sickbay drains, its sign goes from a Machine that has outlived its Cluster.
func TestDrainWithoutCluster(t *testing.T) {
	f := newHarness(t)
	f.annotate(rebootannotation.Request, "please")
	f.reconcile()
	f.ends(f.record(), metav1.ConditionFalse, v1alpha1.ReasonHandedBack)
	f.must(f.env.Client.Delete(t.Context(), build.Cluster(f.ns, "c")))
	f.reconcile()
	if _, shown := f.machine.Annotations[rebootannotation.Request]; !shown {
		t.Fatal("without a drain, nobody touches a Machine that goes with its Cluster")
	}
	f.Drain = true
	f.reconcile()
	if got, shown := f.machine.Annotations[rebootannotation.Request]; shown {
		t.Errorf("the Machine still shows %q", got)
	}
}

// TestDrainLeavesTheHealthCheckWaiting: what a health check has asked for is carried out after a drain, also if somebody has deleted the history meanwhile.
func TestDrainLeavesTheHealthCheckWaiting(t *testing.T) {
	f := newHarness(t)
	request := f.ask(f.machine.Name, f.ofCheck)
	f.reconcile()
	f.reconcile()
	made := f.record()
	f.ends(made, metav1.ConditionFalse, v1alpha1.ReasonHandedBack)
	f.Drain = true
	f.reconcile()
	if got := f.told(request); got != "Unknown HandedBack: Sickbay drains, and leaves this to another controller" || request.Status.RecordRef != nil {
		t.Errorf("it is told %q by %+v", got, request.Status.RecordRef)
	}
	made.Finalizers = nil
	f.must(f.env.Client.Update(t.Context(), made))
	f.must(f.env.Client.Delete(t.Context(), made))
	f.Drain = false
	f.reconcile()
	if again := f.record(); again.UID == made.UID || again.Spec.RequestedBy.UID != request.UID {
		t.Errorf("after the drain, there is only %+v", again.Spec)
	}
}
