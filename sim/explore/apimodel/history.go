package apimodel

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// history is all states of the objects of a kind: states[0] is the first, and the last is the current one.
type history struct {
	kind    schema.GroupVersionKind
	states  []state
	changed []client.ObjectKey // the object that each state changed
}

func (h *history) latest() state { return h.states[len(h.states)-1] }

// state is all objects of a kind at one time, by namespace and name. It never changes.
type state []*Object

// find returns an object, or nil. It searches linearly, because there are few objects.
func (s state) find(key client.ObjectKey) *Object {
	for _, obj := range s {
		if obj.key == key {
			return obj
		}
	}
	return nil
}

// with returns the state with a new version of an object, or without it if obj is nil.
func (s state) with(key client.ObjectKey, obj *Object) state {
	next := make(state, 0, len(s)+1)
	next = append(next, s...)
	i, found := slices.BinarySearchFunc(s, key, func(other *Object, key client.ObjectKey) int { return compareKeys(other.key, key) })
	switch {
	case obj == nil && found:
		return slices.Delete(next, i, i+1)
	case obj == nil:
	case found:
		next[i] = obj
	default:
		next = slices.Insert(next, i, obj)
	}
	return next
}

func compareKeys(a, b client.ObjectKey) int {
	return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
}

// Begin forgets all earlier states, so no cache can show them.
func (s *Server) Begin() {
	for _, h := range s.kinds {
		h.states, h.changed = h.states[len(h.states)-1:], h.changed[len(h.changed)-1:]
	}
}

// Copy returns an independent server with the same objects. It shares them, because they never change.
func (s *Server) Copy() *Server {
	next := &Server{Scheme: s.Scheme, Indexes: s.Indexes, Now: s.Now, version: s.version, uids: s.uids}
	for _, h := range s.kinds {
		for _, obj := range h.latest() {
			obj.hashOf()
		}
		next.kinds = append(next.kinds, &history{kind: h.kind, states: slices.Clone(h.states), changed: slices.Clone(h.changed)})
	}
	return next
}
