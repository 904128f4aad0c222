package upgrade

import (
	"maps"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

// Scene is what this package sees of a world, and how it changes it.
type Scene struct {
	Spec *worlds.Spec
	Now  time.Time
	// Find returns an object, and Every those of a kind. They are shared; Find returns nil if there is none.
	Find  func(kind schema.GroupVersionKind, name string) client.Object
	Every func(kind schema.GroupVersionKind) []client.Object
	// Change changes an object, or its status, and Remove deletes it.
	Change func(kind schema.GroupVersionKind, name string, status bool, change func(client.Object))
	Remove func(client.Object)
}

// Act is one thing that can happen.
type Act struct {
	Name string
	Do   func()
}

// Objects returns what exists at the beginning, besides machines and their health check.
func Objects(spec *worlds.Spec) []client.Object {
	if !spec.Upgrades() {
		return nil
	}
	objects := []client.Object{openshift()}
	if spec.Has(worlds.Pools) {
		objects = append(objects, pool(), openshiftCheck(), openshiftMachine(), openshiftNode())
	}
	if spec.Has(worlds.Rollout) {
		objects = append(objects, controlPlane(), deployment())
	}
	return objects
}

// Finish completes all upgrades.
func (s Scene) Finish() {
	if !s.Spec.Upgrades() {
		return
	}
	s.complete()
	if s.Spec.Has(worlds.Pools) {
		s.updatePool(machinesInPool)
		s.pausePool(false)
	}
	if s.Spec.Has(worlds.Rollout) {
		s.finishRollout()
	}
}

func objectMeta(kind schema.GroupVersionKind, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: kinds.KeyOf(kind, name).Namespace, Name: name}
}

// status changes the status of an object of a Go type.
func status[T client.Object](s Scene, kind schema.GroupVersionKind, name string, change func(T)) {
	s.Change(kind, name, true, func(obj client.Object) { change(obj.(T)) })
}

// spec changes everything else.
func spec[T client.Object](s Scene, kind schema.GroupVersionKind, name string, change func(T)) {
	s.Change(kind, name, false, func(obj client.Object) { change(obj.(T)) })
}

// annotate changes a copy of the annotations of an object.
func (s Scene) annotate(kind schema.GroupVersionKind, name string, change func(map[string]string)) {
	s.Change(kind, name, false, func(obj client.Object) {
		all := map[string]string{}
		maps.Copy(all, obj.GetAnnotations())
		change(all)
		obj.SetAnnotations(all)
	})
}
