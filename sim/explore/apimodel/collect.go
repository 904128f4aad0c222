package apimodel

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
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
			if owners := obj.typed.GetOwnerReferences(); len(owners) > 0 && obj.typed.GetDeletionTimestamp() == nil && !s.ownedStill(owners) {
				found = append(found, obj)
			}
		}
	}
	return found
}

func (s *Server) ownedStill(owners []metav1.OwnerReference) bool {
	for _, owner := range owners {
		if s.lives(owner.UID) {
			return true
		}
	}
	return false
}

func (s *Server) lives(uid types.UID) bool {
	for _, h := range s.kinds {
		for _, obj := range h.latest() {
			if obj.typed.GetUID() == uid {
				return true
			}
		}
	}
	return false
}
