package apimodel

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Garbage returns the objects whose owners are all gone, as the garbage collector would find them.
func (s *Server) Garbage() []*Object {
	alive := map[string]bool{}
	for _, gvk := range s.Kinds() {
		for _, obj := range s.All(gvk) {
			alive[string(obj.typed.GetUID())] = true
		}
	}
	var garbage []*Object
	for _, gvk := range s.Kinds() {
		for _, obj := range s.All(gvk) {
			owners := obj.typed.GetOwnerReferences()
			orphaned := len(owners) > 0 && !slices.ContainsFunc(owners, func(owner metav1.OwnerReference) bool { return alive[string(owner.UID)] })
			if orphaned && obj.typed.GetDeletionTimestamp().IsZero() {
				garbage = append(garbage, obj)
			}
		}
	}
	return garbage
}

// Begin forgets how the objects came to be as they are: no cache is older than this.
func (s *Server) Begin() {
	for _, h := range s.kinds {
		h.states, h.changed = h.states[len(h.states)-1:], h.changed[len(h.changed)-1:]
	}
}
