package reboot

import (
	"context"
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	corev1 "k8s.io/api/core/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// A person switches the host off (spec.online) after its Node is back, and before it is Ready or the machine called healthy.
func TestPersonHoldsInRestoring(t *testing.T) {
	for _, phase := range []v1alpha1.Phase{v1alpha1.WaitingForNode, v1alpha1.Restoring, v1alpha1.WaitingForMachine} {
		f := in(phase, lastAttempt, off, userOff)
		f.Machine.ByHealthCheck, f.Machine.Sick = true, true
		if phase != v1alpha1.WaitingForNode {
			setReady(f.Node.Node, corev1.ConditionUnknown, noon.Time)
		}
		f.Status = Decide(f, noon.Add(time.Minute)).Status
		f.Status = Decide(f, noon.Add(nodeTimeout+time.Hour)).Status
		if !f.Status.Phase.Ended() {
			continue
		}
		var did []Action
		for range 3 {
			d := Decide(f, noon.Add(nodeTimeout+2*time.Hour))
			did = append(did, d.Action)
			f.Host.Unhealthy, f.Machine.Marked = true, f.Machine.Marked || d.Action == MarkForOwner
		}
		t.Errorf("%s: a person holds the host off, and it is %s, with %v", phase, f.Status.Phase, did)
	}
}

// A request that was deleted before anything was done stays as long as another machine of the control plane cannot be read.
func TestPendingFinalizerNeedsPeers(t *testing.T) {
	p := newPlane(t, 3)
	request := p.ask("m1")
	request.Finalizers = []string{Finalizer}
	if err := p.e.Client.Update(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	request.Status.Phase = v1alpha1.Pending
	if err := p.e.Client.Status().Update(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	if err := p.e.Client.Delete(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	watching, err := client.NewWithWatch(p.e.Config, client.Options{Scheme: p.e.Scheme})
	if err != nil {
		t.Fatal(err)
	}
	p.r.Live = interceptor.NewClient(watching, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			if _, is := obj.(*metav1.PartialObjectMetadata); is && key.Name == "m2" {
				return errors.New("the conversion webhook does not answer")
			}
			return c.Get(ctx, key, obj, opts...)
		},
	})
	for range 5 {
		_, err = p.r.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(request)})
	}
	if gone := p.e.Client.Get(t.Context(), client.ObjectKeyFromObject(request), request); gone == nil {
		t.Errorf("its finalizers are %v: %v", request.Finalizers, err)
	}
}
