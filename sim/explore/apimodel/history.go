package apimodel

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// history is all that the objects of a kind ever were: states[0] is the beginning, the last is now.
type history struct {
	kind    schema.GroupVersionKind
	states  []state
	changed []client.ObjectKey // what led from one state to the next
}

func (h *history) latest() state { return h.states[len(h.states)-1] }

// state is all objects of a kind at one time, by namespace and name. It never changes.
type state []*Object

// find returns an object, or nil. There are few of them.
func (s state) find(key client.ObjectKey) *Object {
	for _, obj := range s {
		if obj.key == key {
			return obj
		}
	}
	return nil
}

// with returns the state with another version of an object; nil is without it.
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
	if order := strings.Compare(a.Namespace, b.Namespace); order != 0 {
		return order
	}
	return strings.Compare(a.Name, b.Name)
}

// Begin forgets how the objects came to be as they are: no cache is older than this.
func (s *Server) Begin() {
	for _, h := range s.kinds {
		h.states, h.changed = h.states[len(h.states)-1:], h.changed[len(h.changed)-1:]
	}
}

// Copy returns a server with the same objects, which goes its own way from here. The objects are shared, as they never change.
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
