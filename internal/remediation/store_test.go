package remediation

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// stored reads an object live; false if there is none, or another one has its name.
func stored[T client.Object](f *fixture, obj T) (T, bool) {
	f.t.Helper()
	got := reflect.New(reflect.TypeOf(obj).Elem()).Interface().(T)
	got.GetObjectKind().SetGroupVersionKind(obj.GetObjectKind().GroupVersionKind())
	err := f.env.Client.Get(f.t.Context(), client.ObjectKeyFromObject(obj), got)
	if err != nil && !apierrors.IsNotFound(err) {
		f.t.Fatal(err)
	}
	return got, err == nil && got.GetUID() == obj.GetUID()
}

// change stores a change of the metadata or spec of an object.
func change[T client.Object](f *fixture, obj T, apply func(T)) {
	f.t.Helper()
	update(f, obj, apply, func(o T) error { return f.env.Client.Update(f.t.Context(), o) })
}

// changeStatus stores a change of the status of an object.
func changeStatus[T client.Object](f *fixture, obj T, apply func(T)) {
	f.t.Helper()
	update(f, obj, apply, func(o T) error { return f.env.Client.Status().Update(f.t.Context(), o) })
}

func update[T client.Object](f *fixture, obj T, apply func(T), write func(T) error) {
	f.t.Helper()
	for {
		got, ok := stored(f, obj)
		if !ok {
			f.t.Fatalf("%s is gone", obj.GetName())
		}
		apply(got)
		err := write(got)
		if err == nil {
			return
		}
		if !apierrors.IsConflict(err) {
			f.t.Fatal(err)
		}
	}
}

func setCondition(m *clusterv1.Machine, c metav1.Condition) {
	meta.RemoveStatusCondition(&m.Status.Conditions, c.Type)
	meta.SetStatusCondition(&m.Status.Conditions, c)
}

func annotate[T client.Object](f *fixture, obj T, key, value string) {
	f.t.Helper()
	change(f, obj, func(o T) { build.Annotation(key, value)(o) })
}

func unannotate[T client.Object](f *fixture, obj T, key string) {
	f.t.Helper()
	change(f, obj, func(o T) {
		annotations := o.GetAnnotations()
		delete(annotations, key)
		o.SetAnnotations(annotations)
	})
}

func remove(f *fixture, obj client.Object) {
	f.t.Helper()
	if err := f.env.Client.Delete(f.t.Context(), obj); err != nil {
		f.t.Fatal(err)
	}
}

// answer has the owner of a Machine say something in the mark.
func (f *fixture) answer(machine *clusterv1.Machine, reason, message string) {
	f.t.Helper()
	changeStatus(f, machine, func(m *clusterv1.Machine) {
		meta.SetStatusCondition(&m.Status.Conditions, metav1.Condition{
			Type: clusterv1.MachineOwnerRemediatedCondition, Status: metav1.ConditionFalse, Reason: reason, Message: message,
		})
	})
}

// standing is what Sickbay has asked for on the Machines of the fixture and their requests, as "machine: mark".
func (f *fixture) standing() []string {
	f.t.Helper()
	var list []string
	var machines clusterv1.MachineList
	if err := f.env.Client.List(f.t.Context(), &machines, client.InNamespace(f.ns)); err != nil {
		f.t.Fatal(err)
	}
	for i := range machines.Items {
		m := &machines.Items[i]
		if c := meta.FindStatusCondition(m.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition); c != nil && c.Status == metav1.ConditionFalse {
			list = append(list, m.Name+": mark")
		}
		if remedy.RebootRequested(m) {
			list = append(list, m.Name+": reboot")
		}
		if !m.DeletionTimestamp.IsZero() {
			list = append(list, m.Name+": deleting")
		}
	}
	for _, request := range append(f.objects(fixKind), f.objects(v1alpha1.GroupVersion.WithKind("RebootRemediation"))...) {
		list = append(list, request.GetKind()+" "+request.GetName())
	}
	slices.Sort(list)
	return list
}

// wantStanding asserts what Sickbay has asked for.
func (f *fixture) wantStanding(want ...string) {
	f.t.Helper()
	if diff := cmp.Diff(want, f.standing()); diff != "" {
		f.t.Fatalf("what was asked for (-want +got):\n%s", diff)
	}
}

var (
	templateKind = env.RemediationGroupVersion.WithKind(env.RemediationTemplateKind)
	fixKind      = env.RemediationGroupVersion.WithKind(env.RemediationKind)
)

func (f *fixture) objects(kind schema.GroupVersionKind) []unstructured.Unstructured {
	f.t.Helper()
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
	if err := f.env.Client.List(f.t.Context(), list, client.InNamespace(f.ns)); err != nil {
		f.t.Fatal(err)
	}
	return list.Items
}

// summary is what the status of a record says in short: the phase, the reason of Progressing, and the results of the
// attempts; how it ended, if it has.
func (f *fixture) summary(record *v1alpha1.MachineRemediation) string {
	f.t.Helper()
	got, ok := stored(f, record)
	if !ok {
		return "gone"
	}
	words := []string{string(got.Status.Phase), progressOf(got).reason}
	if c := meta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionSucceeded); c != nil {
		words = append(words, c.Reason)
	}
	for i := range got.Status.Attempts {
		attempt := &got.Status.Attempts[i]
		result := string(attempt.Result)
		switch action := actionOf(got, attempt); {
		case result == "" && attempt.ObjectRef == nil && action != v1alpha1.ActionWait:
			result = "intended"
		case result == "":
			result = "-"
		}
		words = append(words, attempt.Step+":"+result)
	}
	return strings.Join(words, " ")
}

func (f *fixture) wantRecord(record *v1alpha1.MachineRemediation, want string) {
	f.t.Helper()
	if got := f.summary(record); got != want {
		r, _ := stored(f, record)
		f.t.Fatalf("record is %q, want %q; it says: %s", got, want, progressOf(r).message)
	}
}

// wantSlot asserts whether a record has a slot.
func (f *fixture) wantSlot(record *v1alpha1.MachineRemediation, want bool) {
	f.t.Helper()
	if got, _ := stored(f, record); (got.Spec.Grant > got.Status.ReleasedGrant && got.Status.CompletionTime == nil) != want {
		f.t.Fatalf("grant %d, released %d: want a slot: %t", got.Spec.Grant, got.Status.ReleasedGrant, want)
	}
}

func lower(s string) string { return strings.ToLower(s) }

// template stores the template that byTemplate refers to.
func (f *fixture) template() *unstructured.Unstructured {
	f.t.Helper()
	template := build.RemediationTemplate(templateKind, f.ns, "fix", map[string]any{"how": "gently"})
	build.Create(f.t.Context(), f.t, f.env.Client, template)
	return template
}

func byTemplate() build.MachineHealthCheckFunc { return build.TemplateRef(templateKind, "fix") }

func byReboot() build.Option { return build.Annotation("sickbay.dev/remediation", "reboot") }

// rows runs a table in parallel.
func rows[T any](t *testing.T, tests map[string]T, run func(t *testing.T, tt T)) {
	t.Helper()
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, tt)
		})
	}
}
