package history

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/conditions"
	"github.com/sickbay-dev/sickbay/sim/explore/apimodel"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
)

// Latest returns the current version of an object; nil if there is none. It is shared.
func Latest[T client.Object](w *World, kind schema.GroupVersionKind, name string) T {
	return apimodel.As[T](w.Server.Latest(kind, kinds.KeyOf(kind, name)))
}

// Every returns the current objects of a kind. They are shared.
func Every[T client.Object](w *World, kind schema.GroupVersionKind) []T {
	var list []T
	for _, obj := range w.Server.All(kind) {
		list = append(list, obj.Typed().(T))
	}
	return list
}

// writesAs makes writes count as those of a process, or of somebody else than a manager, until the function that it returns is called.
func (w *World) writesAs(p *Process) (end func()) {
	before := w.Writer
	w.Writer = p
	return func() { w.Writer = before }
}

// put creates an object with its status.
func (w *World) put(obj client.Object) {
	defer w.writesAs(nil)()
	ctx := context.Background()
	built := obj.DeepCopyObject().(client.Object)
	w.must(w.admin.Create(ctx, obj))
	if u, ok := built.(*unstructured.Unstructured); ok && u.Object["status"] != nil {
		obj.(*unstructured.Unstructured).Object["status"] = u.Object["status"]
		w.must(w.admin.Status().Update(ctx, obj))
		return
	}
	status := reflect.ValueOf(built).Elem().FieldByName("Status")
	if !status.IsValid() {
		return
	}
	reflect.ValueOf(obj).Elem().FieldByName("Status").Set(status)
	w.must(w.admin.Status().Update(ctx, obj))
}

// update changes an object, or its status, in the name of somebody other than a manager. It ignores
// objects that are gone.
func update[T client.Object](w *World, kind schema.GroupVersionKind, name string, status bool, change func(T)) {
	stored := w.Server.Latest(kind, kinds.KeyOf(kind, name))
	if stored == nil {
		return
	}
	obj := stored.Typed().DeepCopyObject().(T)
	change(obj)
	defer w.writesAs(nil)()
	if status {
		w.must(w.admin.Status().Update(context.Background(), obj))
		return
	}
	w.must(w.admin.Update(context.Background(), obj))
}

// must panics on an error of a write that cannot fail, because nobody else writes meanwhile.
func (w *World) must(err error) {
	if err != nil {
		panic(fmt.Sprintf("history: in world %s: %v", w.Spec.Name, err))
	}
}

// gone is the value that removes an annotation.
const gone = "\x00"

// annotate sets or removes annotations.
func (w *World) annotate(kind schema.GroupVersionKind, name string, values map[string]string) {
	update(w, kind, name, false, func(obj client.Object) {
		annotations := maps.Clone(obj.GetAnnotations())
		if annotations == nil {
			annotations = map[string]string{}
		}
		for _, key := range slices.Sorted(maps.Keys(values)) {
			if annotations[key] = values[key]; values[key] == gone {
				delete(annotations, key)
			}
		}
		obj.SetAnnotations(annotations)
	})
}

// remove deletes an object in the name of somebody other than a manager.
func (w *World) remove(obj client.Object) {
	defer w.writesAs(nil)()
	w.must(client.IgnoreNotFound(w.admin.Delete(context.Background(), obj)))
}

// Said returns the status, reason and message of a condition of a Machine.
func Said(machine *clusterv1.Machine, conditionType string) [3]string {
	c := conditions.Of(machine.Status.Conditions, conditionType)
	return [3]string{string(c.Status), c.Reason, c.Message}
}
