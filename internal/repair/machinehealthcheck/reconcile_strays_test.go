package machinehealthcheck

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// requestFor makes a request for a Machine, of a record that is nowhere.
func (w *harness) requestFor(t *testing.T, machine *clusterv1.Machine) *unstructured.Unstructured {
	t.Helper()
	request := &unstructured.Unstructured{}
	request.SetGroupVersionKind(env.RemediationGroupVersion.WithKind(env.RemediationKind))
	request.SetNamespace(w.ns)
	request.SetName(machine.Name)
	request.SetAnnotations(map[string]string{v1alpha1.OperationAnnotation: "uid/1"})
	request.SetOwnerReferences([]metav1.OwnerReference{{
		APIVersion: clusterv1.GroupVersion.String(), Kind: "Machine", Name: machine.Name, UID: machine.UID,
	}})
	build.Create(t.Context(), t, w.env.Client, request)
	return request
}

// TestStrays: what was asked for without a record gets one, over the slots, also if the machine is healthy.
func TestStrays(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		mhc  []build.MachineHealthCheckOption
		left func(t *testing.T, w *harness, a *clusterv1.Machine)
		want []string
	}{
		"nothing": {nil, func(*testing.T, *harness, *clusterv1.Machine) {}, nil},
		"a request": {opts(byTemplate()), func(t *testing.T, w *harness, a *clusterv1.Machine) {
			t.Helper()
			w.requestFor(t, a)
		}, []string{"a: request"}},
		"a request of Cluster API's own controller": {opts(byTemplate()), func(t *testing.T, w *harness, a *clusterv1.Machine) {
			t.Helper()
			unannotate(t, w, w.requestFor(t, a), v1alpha1.OperationAnnotation)
		}, []string{"a: request"}},
		"a request for a machine that was there before": {opts(byTemplate()), func(t *testing.T, w *harness, a *clusterv1.Machine) {
			t.Helper()
			other := a.DeepCopy()
			other.UID = "other"
			w.requestFor(t, other)
		}, nil},
		"a request, and the plan is another": {nil, func(t *testing.T, w *harness, a *clusterv1.Machine) {
			t.Helper()
			w.requestFor(t, a)
		}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newHarness(t)
			w.template(t)
			a := w.healthy(t, "a")
			mhc := w.check(t, append(tt.mhc, maxInFlight("1"))...)
			w.healthy(t, "leaving", build.Deleting(w.clock.Now()))
			tt.left(t, w, a)
			w.reconcile(t, mhc)
			w.wantAdmitted(t, tt.want...)
			w.reconcile(t, mhc)
			w.wantAdmitted(t, tt.want...)
			if len(tt.want) == 0 {
				return
			}
			w.end(t, a)
			w.reconcile(t, mhc)
			w.wantAdmitted(t) // once is enough
		})
	}
}

// TestRequestsAreLookedForOnce: a namespace full of requests is not listed with each look.
func TestRequestsAreLookedForOnce(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.template(t)
	a := w.healthy(t, "a")
	w.requestFor(t, a)
	mhc := w.check(t, byTemplate())
	w.reconcile(t, mhc)
	w.reconcile(t, mhc)
	key := client.ObjectKeyFromObject(mhc)
	if known := w.memory.Get(key).lookedFor; known.uid != mhc.UID || known.gvk.Kind != env.RemediationKind {
		t.Errorf("known is %+v", known)
	}
	remove(t, w, mhc)
	w.reconcile(t, mhc)
	if len(w.memory.All()) > 0 {
		t.Error("something is kept for one that is gone")
	}
}
