// Package fault breaks a world, and heals it.
//
// A fault is a small value without state of its own. What Heal needs to know is in the world, so an
// equal value made elsewhere can heal a fault. Inject returns when the fault is in place; each type
// says how soon the world shows it. Inject and Heal may be repeated, and healing something that was
// replaced in the meantime succeeds.
package fault

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/world"
)

// Fault is one thing that can be wrong with a world.
type Fault interface {
	// String says what is wrong, in a few words.
	String() string
	// Inject causes the fault.
	Inject(ctx context.Context, w *world.World) error
	// Heal undoes it.
	Heal(ctx context.Context, w *world.World) error
}

// annotationPrefix is the prefix of the annotations in which faults store what Heal needs.
const annotationPrefix = "fault.sim.sickbay.dev/"

// change reads an object of the management cluster, lets edit change it and writes the difference.
func change[T client.Object](ctx context.Context, w *world.World, key client.ObjectKey, object T, edit func(T)) error {
	if err := w.Client().Get(ctx, key, object); err != nil {
		return fmt.Errorf("getting %T %s: %w", object, key, err)
	}
	original := object.DeepCopyObject().(client.Object)
	edit(object)
	if err := w.Client().Patch(ctx, object, client.MergeFrom(original)); err != nil {
		return fmt.Errorf("patching %T %s: %w", object, key, err)
	}
	return nil
}

// ignoreNotFound is for Heal: an object that is gone needs no healing.
func ignoreNotFound(err error) error {
	return client.IgnoreNotFound(err)
}

func annotate(object client.Object, name, value string) {
	annotations := object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[name] = value
	object.SetAnnotations(annotations)
}

func unannotate(object client.Object, name string) {
	annotations := object.GetAnnotations()
	delete(annotations, name)
	object.SetAnnotations(annotations)
}
