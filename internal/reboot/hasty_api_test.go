package reboot

import (
	"context"
	"errors"
	"testing"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// begunOf makes a cycle of m1 that keeps its host off, and changes its status.
func begunOf(p *plane, change func(*v1alpha1.RebootRemediation)) *v1alpha1.RebootRemediation {
	p.Helper()
	request := p.ask("m1")
	if p.look(request).Status.Phase != v1alpha1.PoweringOff {
		p.Fatalf("in phase %s: %+v", request.Status.Phase, request.Status.Conditions)
	}
	change(request)
	if err := p.e.Client.Status().Update(p.Context(), request); err != nil {
		p.Fatal(err)
	}
	return request
}

func heldOff(p *plane, name string, request *v1alpha1.RebootRemediation) bool {
	host := reread(p.T, p.e, &metal3v1.BareMetalHost{ObjectMeta: metav1.ObjectMeta{Namespace: p.ns, Name: name}})
	_, held := host.Annotations[cycle.KeyOf(request.UID)]
	return held
}

func unchanged(*v1alpha1.RebootRemediation) {}

// The other machines of the control plane cannot be read. That is no reason to keep the host off.
func TestLettingGoNeedsPeers(t *testing.T) {
	p := newPlane(t, 3)
	request := begunOf(p, unchanged)
	if err := p.e.Client.Delete(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	p.r.Live = p.e.Intercept(t, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			if _, is := obj.(*metav1.PartialObjectMetadata); is && key.Name == "m2" {
				return errors.New("the conversion webhook does not answer") // for the infrastructure machine of ANOTHER Machine
			}
			return c.Get(ctx, key, obj, opts...)
		},
	})
	var err error
	for range 5 {
		_, err = p.r.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(request)})
	}
	if heldOff(p, "m1", request) {
		t.Errorf("the host is kept off, since another machine cannot be read: %v", err)
	}
}

// All places in the workload cluster are taken. That is no reason to keep the host off.
func TestLettingGoNeedsAPlace(t *testing.T) {
	for name, change := range map[string]func(*v1alpha1.RebootRemediation){
		"powering off": unchanged,
		"fenced an hour ago": func(r *v1alpha1.RebootRemediation) {
			at := new(metav1.NewTime(time.Now().Add(-time.Hour).Truncate(time.Second)))
			r.Status.Phase, r.Status.PoweredOffAt, r.Status.IsolatingSince, r.Status.SeenOnAt = v1alpha1.Fenced, at, at, at
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlane(t, 3)
			request := begunOf(p, change)
			p.r.places.Most = 1
			machine := reread(t, p.e, &clusterv1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: p.ns, Name: "m1"}})
			leave, err := p.r.places.TryEnter(machineOf(machine).cluster)
			if err != nil {
				t.Fatal(err)
			}
			defer leave()
			if err := p.e.Client.Delete(t.Context(), request); err != nil { // and even withdrawn
				t.Fatal(err)
			}
			for range 5 {
				if _, err := p.r.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(request)}); err != nil {
					t.Fatal(err)
				}
			}
			if heldOff(p, "m1", request) {
				t.Errorf("the host is kept off as long as others are busy with the workload cluster")
			}
		})
	}
}

// Two workers look at two requests for the same machine at the same moment.
func TestTwoBeginAtOnce(t *testing.T) {
	s := newShared(t)
	first, second := s.ask("rec-1"), s.ask("rec-2")
	for _, r := range []*v1alpha1.RebootRemediation{first, second} {
		r.Finalizers = []string{cycle.Finalizer, cycle.NodeFinalizer}
		if err := s.e.Client.Update(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	ended := make(chan struct{})
	var done bool
	// Between the read of the siblings and the last read, of the host, another worker looks at the other request.
	s.r.Live = s.e.Intercept(t, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			now := &v1alpha1.RebootRemediation{}
			if err := s.e.Client.Get(ctx, client.ObjectKeyFromObject(first), now); err != nil {
				return err
			}
			if _, is := obj.(*metal3v1.BareMetalHost); is && !done && now.Status.Phase == v1alpha1.Pending {
				done = true
				go func() {
					defer close(ended)
					if _, err := s.r.Reconcile(ctx, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(second)}); err != nil {
						t.Error(err)
					}
				}()
				select {
				case <-ended:
				case <-time.After(3 * time.Second): // the other worker waits in line
				}
			}
			return c.Get(ctx, key, obj, opts...)
		},
	})
	s.look(first)
	<-ended
	second = reread(t, s.e, second)
	if cycle.InCycle(first.Status.Phase) && cycle.InCycle(second.Status.Phase) {
		t.Errorf("both cycle the machine: %s and %s, with keys %v", first.Status.Phase, second.Status.Phase, s.keys())
	}
}

var _ = workload.Local{}

// A request that was deleted before anything was done must not stay because another machine of the control plane cannot be
// read.
func TestPendingFinalizerNeedsPeers(t *testing.T) {
	p := newPlane(t, 3)
	request := p.ask("m1")
	request.Finalizers = []string{cycle.Finalizer}
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
	p.r.Live = p.e.Intercept(t, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			if _, is := obj.(*metav1.PartialObjectMetadata); is && key.Name == "m2" {
				return errors.New("the conversion webhook does not answer")
			}
			return c.Get(ctx, key, obj, opts...)
		},
	})
	var err error
	for range 5 {
		_, err = p.r.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(request)})
	}
	if gone := p.e.Client.Get(t.Context(), client.ObjectKeyFromObject(request), request); gone == nil {
		t.Errorf("its finalizers are %v: %v", request.Finalizers, err)
	}
}
