package apimodel

import (
	"fmt"
	"maps"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/targets"
)

// Server holds all objects, and all that they ever were. It is for one goroutine at a time.
type Server struct {
	// Scheme knows the kinds that are read and written as Go types.
	Scheme *runtime.Scheme
	// Indexes answer lists by field.
	Indexes []targets.Index
	// Now is the time that objects are created and deleted at.
	Now func() time.Time
	// Committed is called after each change; nil calls nobody.
	Committed func(Change)

	kinds   map[schema.GroupVersionKind]*history
	version int64
	uids    int
}

// Change is one write that was carried out.
type Change struct {
	Kind schema.GroupVersionKind
	Key  client.ObjectKey
	// Before is nil for an object that was created, After for one that is gone.
	Before, After *Object
}

// history is all that the objects of a kind ever were: states[0] is the beginning, the last is now.
type history struct {
	states  []state
	changed []client.ObjectKey // what led from one state to the next
}

type state map[client.ObjectKey]*Object

// Kind returns the kind of an object.
func (s *Server) Kind(obj runtime.Object) schema.GroupVersionKind {
	gvk, err := kindOf(s.Scheme, obj)
	if err != nil {
		panic(fmt.Sprintf("apimodel: %v", err))
	}
	return gvk
}

// Latest returns an object as it is now, or nil.
func (s *Server) Latest(gvk schema.GroupVersionKind, key client.ObjectKey) *Object {
	return s.history(gvk).latest()[key]
}

// All returns the objects of a kind as they are now, by name.
func (s *Server) All(gvk schema.GroupVersionKind) []*Object { return sorted(s.history(gvk).latest()) }

func (s *Server) history(gvk schema.GroupVersionKind) *history {
	h := s.kinds[gvk]
	if h == nil {
		h = &history{states: []state{{}}, changed: []client.ObjectKey{{}}}
		if s.kinds == nil {
			s.kinds = map[schema.GroupVersionKind]*history{}
		}
		s.kinds[gvk] = h
	}
	return h
}

func (h *history) latest() state { return h.states[len(h.states)-1] }

// commit stores what an object is from now on; nil removes it.
func (s *Server) commit(gvk schema.GroupVersionKind, key client.ObjectKey, raw map[string]any) *Object {
	h := s.history(gvk)
	before, next := h.latest()[key], maps.Clone(h.latest())
	var after *Object
	s.version++
	if raw == nil {
		delete(next, key)
	} else {
		metadata(raw)["resourceVersion"] = strconv.FormatInt(s.version, 10)
		after = s.object(gvk, raw)
		next[key] = after
	}
	h.states, h.changed = append(h.states, next), append(h.changed, key)
	if s.Committed != nil {
		s.Committed(Change{Kind: gvk, Key: key, Before: before, After: after})
	}
	return after
}

// uid is one that nobody has had before.
func (s *Server) uid() types.UID {
	s.uids++
	return types.UID(fmt.Sprintf("%08x-0000-4000-8000-%012x", uint32(s.uids)*2654435761, s.uids))
}
