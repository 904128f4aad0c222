package apimodel

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// garbage is the last result of Garbage, and its version.
type garbage struct {
	known   bool
	version int64
	found   []*Object
}

// Garbage returns the objects whose owners are all gone, as the garbage collector would find them.
func (s *Server) Garbage() []*Object {
	if !s.garbage.known || s.garbage.version != s.version {
		s.garbage = garbage{known: true, version: s.version, found: s.collect()}
	}
	return s.garbage.found
}

func (s *Server) collect() []*Object {
	var found []*Object
	for _, h := range s.kinds {
		for _, obj := range h.latest() {
			if owners := obj.typed.GetOwnerReferences(); len(owners) > 0 && obj.typed.GetDeletionTimestamp() == nil && !slices.ContainsFunc(owners, s.lives) {
				found = append(found, obj)
			}
		}
	}
	return found
}

func (s *Server) lives(owner metav1.OwnerReference) bool {
	return slices.ContainsFunc(s.kinds, func(h *history) bool {
		return slices.ContainsFunc(h.latest(), func(obj *Object) bool { return obj.typed.GetUID() == owner.UID })
	})
}
