package machinehealthcheck

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// markBefore marks a Machine for its owner, as an earlier version of Sickbay did.
func (w *harness) markBefore(t *testing.T, machine *clusterv1.Machine) {
	t.Helper()
	w.mark(t, machine, ownwrites.OwnerRemediatedFieldOwner)
}

func (w *harness) mark(t *testing.T, machine *clusterv1.Machine, fieldOwner string) {
	t.Helper()
	u := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"conditions": []any{map[string]any{
		"type": clusterv1.MachineOwnerRemediatedCondition, "status": "False", "reason": "WaitingForRemediation", "message": "",
		"lastTransitionTime": w.clock.Now().UTC().Format(time.RFC3339),
	}}}}}
	u.SetGroupVersionKind(clusterv1.GroupVersion.WithKind("Machine"))
	u.SetNamespace(machine.Namespace)
	u.SetName(machine.Name)
	if err := w.env.Client.Status().Apply(t.Context(), client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(fieldOwner), client.ForceOwnership); err != nil {
		t.Fatal(err)
	}
}

// requestBefore makes a request for a Machine, as an earlier version of Sickbay did.
func (w *harness) requestBefore(t *testing.T, machine *clusterv1.Machine) *unstructured.Unstructured {
	t.Helper()
	request := &unstructured.Unstructured{}
	request.SetGroupVersionKind(env.RemediationGroupVersion.WithKind(env.RemediationKind))
	request.SetNamespace(w.ns)
	request.SetName(machine.Name)
	request.SetOwnerReferences([]metav1.OwnerReference{{
		APIVersion: clusterv1.GroupVersion.String(), Kind: "Machine", Name: machine.Name, UID: machine.UID,
	}})
	build.Create(t.Context(), t, w.env.Client, request)
	return request
}

func (w *harness) annotateBefore(t *testing.T, machine *clusterv1.Machine, asked, at string) {
	t.Helper()
	annotate(t, w, machine, "reboot.metal3.io", asked)
	annotate(t, w, machine, "sickbay.dev/reboot-requested-at", at)
}

// TestLeftOvers: what an earlier version has asked for gets a record, over the slots, also if the machine is healthy.
func TestLeftOvers(t *testing.T) {
	t.Parallel()
	const at = "2026-01-01T00:00:00Z"
	tests := map[string]struct {
		mhc  []build.MachineHealthCheckOption
		left func(t *testing.T, w *harness, a *clusterv1.Machine)
		want []string
	}{
		"nothing":                   {nil, func(*testing.T, *harness, *clusterv1.Machine) {}, nil},
		"a mark of ours":            {nil, func(t *testing.T, w *harness, a *clusterv1.Machine) { t.Helper(); w.markBefore(t, a) }, []string{"a: replace"}},
		"a mark of somebody else's": {nil, func(t *testing.T, w *harness, a *clusterv1.Machine) { t.Helper(); w.mark(t, a, "others") }, nil},
		"a request": {opts(byTemplate()), func(t *testing.T, w *harness, a *clusterv1.Machine) {
			t.Helper()
			w.requestBefore(t, a)
		}, []string{"a: request"}},
		"a request of a record that stayed behind": {opts(byTemplate()), func(t *testing.T, w *harness, a *clusterv1.Machine) {
			t.Helper()
			annotate(t, w, w.requestBefore(t, a), v1alpha1.OperationAnnotation, "uid/1")
		}, []string{"a: request"}},
		"a request for a machine that was there before": {opts(byTemplate()), func(t *testing.T, w *harness, a *clusterv1.Machine) {
			t.Helper()
			other := a.DeepCopy()
			other.UID = "other"
			w.requestBefore(t, other)
		}, nil},
		"a request, and the plan is another": {nil, func(t *testing.T, w *harness, a *clusterv1.Machine) {
			t.Helper()
			w.requestBefore(t, a)
		}, nil},
		"a power cycle": {opts(byReboot()), func(t *testing.T, w *harness, a *clusterv1.Machine) {
			t.Helper()
			w.annotateBefore(t, a, at, at)
		}, []string{"a: reboot"}},
		"a power cycle that a person asks for": {opts(byReboot()), func(t *testing.T, w *harness, a *clusterv1.Machine) {
			t.Helper()
			w.annotateBefore(t, a, "", at)
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

// TestLeftOversWhilePaused: they are left alone, and taken over afterwards.
func TestLeftOversWhilePaused(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.template(t)
	a := w.sick(t, "a")
	w.requestBefore(t, a)
	mhc := w.check(t, byTemplate(), build.Annotation(clusterv1.PausedAnnotation, ""))
	w.reconcile(t, mhc)
	w.wantAdmitted(t)
	unannotate(t, w, mhc, clusterv1.PausedAnnotation)
	w.reconcile(t, mhc)
	w.wantAdmitted(t, "a: request")
}

// TestRequestsAreLookedForOnce: a namespace full of requests is not listed with each look.
func TestRequestsAreLookedForOnce(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.template(t)
	a := w.healthy(t, "a")
	w.requestBefore(t, a)
	mhc := w.check(t, byTemplate())
	w.reconcile(t, mhc)
	w.reconcile(t, mhc)
	key := client.ObjectKeyFromObject(mhc)
	if known := w.leftOvers.Get(key); known.uid != mhc.UID || known.gvk.Kind != env.RemediationKind {
		t.Errorf("known is %+v", known)
	}
	remove(t, w, mhc)
	w.reconcile(t, mhc)
	if len(w.leftOvers.All()) > 0 {
		t.Error("something is kept for one that is gone")
	}
}
