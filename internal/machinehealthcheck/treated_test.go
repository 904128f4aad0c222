package machinehealthcheck

import (
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// wantTreated asserts which remedies stand in the ward, as "machine: kind", sorted.
func (w *ward) wantTreated(t *testing.T, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, w.treated(t)); diff != "" {
		t.Fatalf("treated (-want +got):\n%s", diff)
	}
}

func (w *ward) treated(t *testing.T) []string {
	t.Helper()
	var list []string
	for name, machine := range w.machines {
		stored, ok := fetch(t, w, machine)
		if !ok || stored.UID != machine.UID || (machine.DeletionTimestamp.IsZero() && !stored.DeletionTimestamp.IsZero()) {
			list = append(list, name+": "+string(remedy.Delete))
			continue
		}
		if meta.IsStatusConditionFalse(stored.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition) {
			list = append(list, name+": "+string(remedy.Owner))
		}
		if remedy.RebootRequested(stored) {
			list = append(list, name+": "+string(remedy.Reboot))
		}
	}
	for _, request := range w.requests(t) {
		list = append(list, request.GetName()+": "+string(remedy.Request))
	}
	slices.Sort(list)
	return list
}

// requests returns all remediation requests.
func (w *ward) requests(t *testing.T) []unstructured.Unstructured {
	t.Helper()
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(env.RemediationGroupVersion.WithKind(env.RemediationKind + "List"))
	if err := w.env.Client.List(t.Context(), list, client.InNamespace(w.ns)); err != nil {
		t.Fatal(err)
	}
	return list.Items
}

// fetch reads an object live, and tells whether it exists.
func fetch[T client.Object](t *testing.T, w *ward, obj T) (T, bool) {
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
func change[T client.Object](t *testing.T, w *ward, obj T, apply func(T)) {
	t.Helper()
	store(t, w, obj, apply, func(o T) error { return w.env.Client.Update(t.Context(), o) })
}

// changeStatus stores a change of the status of an object.
func changeStatus[T client.Object](t *testing.T, w *ward, obj T, apply func(T)) {
	t.Helper()
	store(t, w, obj, apply, func(o T) error { return w.env.Client.Status().Update(t.Context(), o) })
}

// store tries again if a controller writes to the object at the same moment.
func store[T client.Object](t *testing.T, w *ward, obj T, apply func(T), write func(T) error) {
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
func (w *ward) judge(t *testing.T, machine *clusterv1.Machine, status metav1.ConditionStatus) {
	t.Helper()
	w.fitNode(machine.Name, status)
	changeStatus(t, w, machine, func(m *clusterv1.Machine) {
		c := metav1.Condition(verdict(status, w.clock.Now()))
		meta.RemoveStatusCondition(&m.Status.Conditions, c.Type)
		meta.SetStatusCondition(&m.Status.Conditions, c)
	})
}

func annotate[T client.Object](t *testing.T, w *ward, obj T, key, value string) {
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

func unannotate[T client.Object](t *testing.T, w *ward, obj T, key string) {
	t.Helper()
	change(t, w, obj, func(o T) {
		annotations := o.GetAnnotations()
		delete(annotations, key)
		o.SetAnnotations(annotations)
	})
}

func remove(t *testing.T, w *ward, obj client.Object) {
	t.Helper()
	if err := w.env.Client.Delete(t.Context(), obj); err != nil {
		t.Fatal(err)
	}
}
