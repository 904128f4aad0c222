package machinehealthcheck

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/record"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
)

// wantAdmitted asserts which Machines have an open record with a slot, as "machine: step", sorted.
func (w *site) wantAdmitted(t *testing.T, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, w.admitted(t)); diff != "" {
		t.Fatalf("admitted (-want +got):\n%s", diff)
	}
}

func (w *site) admitted(t *testing.T) []string {
	t.Helper()
	var list []string
	for _, r := range w.stored(t) {
		if ladder.HasSlot(&r) {
			list = append(list, r.Spec.MachineRef.Name+": "+r.Spec.Steps[0].Name)
		}
	}
	slices.Sort(list)
	return list
}

// stored returns all records.
func (w *site) stored(t *testing.T) []v1alpha1.MachineRemediation {
	t.Helper()
	list := &v1alpha1.MachineRemediationList{}
	if err := w.env.Client.List(t.Context(), list, client.InNamespace(w.ns)); err != nil {
		t.Fatal(err)
	}
	return list.Items
}

// recordOf returns the latest record of a Machine.
func (w *site) recordOf(t *testing.T, machine *clusterv1.Machine) *v1alpha1.MachineRemediation {
	t.Helper()
	var last *v1alpha1.MachineRemediation
	for _, r := range w.stored(t) {
		if r.Spec.MachineRef.UID == machine.UID && (last == nil || record.Ordinal(&r) > record.Ordinal(last)) {
			last = &r
		}
	}
	if last == nil {
		t.Fatalf("machine %s has no record", machine.Name)
	}
	return last
}

// end ends the latest record of a Machine, as the remediation controller does.
func (w *site) end(t *testing.T, machine *clusterv1.Machine) {
	t.Helper()
	r := w.recordOf(t, machine)
	changeStatus(t, w, r, func(r *v1alpha1.MachineRemediation) {
		at := metav1.NewTime(w.clock.Now())
		r.Status.CompletionTime = &at
	})
	change(t, w, r, func(r *v1alpha1.MachineRemediation) {
		delete(r.Labels, v1alpha1.OpenLabel)
		r.Finalizers = nil
	})
}

// stepBack gives the slot of the latest record of a Machine back; it wants another after a pause.
func (w *site) stepBack(t *testing.T, machine *clusterv1.Machine, pause time.Duration) {
	t.Helper()
	changeStatus(t, w, w.recordOf(t, machine), func(r *v1alpha1.MachineRemediation) {
		at := metav1.NewTime(w.clock.Now().Add(pause))
		r.Status.Attempt, r.Status.Step, r.Status.ReleasedGrant, r.Status.NextTransitionTime = 1, r.Spec.Steps[0].Name, r.Spec.Grant, &at
		r.Status.SlotWanted = true
	})
}

// fetch reads an object live, and reports whether it exists.
func fetch[T client.Object](t *testing.T, w *site, obj T) (T, bool) {
	t.Helper()
	stored := reflect.New(reflect.TypeOf(obj).Elem()).Interface().(T)
	stored.GetObjectKind().SetGroupVersionKind(obj.GetObjectKind().GroupVersionKind())
	err := w.env.Client.Get(t.Context(), client.ObjectKeyFromObject(obj), stored)
	if err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
	return stored, err == nil
}

// change stores a change of the metadata or spec of an object.
func change[T client.Object](t *testing.T, w *site, obj T, apply func(T)) {
	t.Helper()
	store(t, w, obj, apply, func(o T) error { return w.env.Client.Update(t.Context(), o) })
}

// changeStatus stores a change of the status of an object.
func changeStatus[T client.Object](t *testing.T, w *site, obj T, apply func(T)) {
	t.Helper()
	store(t, w, obj, apply, func(o T) error { return w.env.Client.Status().Update(t.Context(), o) })
}

// store tries again if a controller writes to the object at the same moment.
func store[T client.Object](t *testing.T, w *site, obj T, apply func(T), write func(T) error) {
	t.Helper()
	for {
		stored, _ := fetch(t, w, obj)
		apply(stored)
		err := write(stored)
		if err == nil {
			return
		}
		if !apierrors.IsConflict(err) {
			t.Fatal(err)
		}
	}
}

// judge stores a new verdict on a Machine, and makes its Node fit.
func (w *site) judge(t *testing.T, machine *clusterv1.Machine, status metav1.ConditionStatus) {
	t.Helper()
	w.fitNode(machine.Name, status)
	changeStatus(t, w, machine, func(m *clusterv1.Machine) {
		c := metav1.Condition(judgedAs(status, w.clock.Now()))
		meta.RemoveStatusCondition(&m.Status.Conditions, c.Type)
		meta.SetStatusCondition(&m.Status.Conditions, c)
	})
}

func annotate[T client.Object](t *testing.T, w *site, obj T, key, value string) {
	t.Helper()
	change(t, w, obj, func(o T) {
		annotations := o.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[key] = value
		o.SetAnnotations(annotations)
	})
}

func unannotate[T client.Object](t *testing.T, w *site, obj T, key string) {
	t.Helper()
	change(t, w, obj, func(o T) {
		annotations := o.GetAnnotations()
		delete(annotations, key)
		o.SetAnnotations(annotations)
	})
}

func remove(t *testing.T, w *site, obj client.Object) {
	t.Helper()
	if err := w.env.Client.Delete(t.Context(), obj); err != nil {
		t.Fatal(err)
	}
}

// setGrant grants a record slots as another process would.
func setGrant(grant int32) func(*v1alpha1.MachineRemediation) {
	return func(r *v1alpha1.MachineRemediation) { r.Spec.Grant = grant }
}
