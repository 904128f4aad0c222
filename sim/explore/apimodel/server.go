package apimodel

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// Server holds all objects and their history. Several goroutines may read at once, as long as none writes.
type Server struct {
	// Scheme knows the kinds that are read and written as Go types.
	Scheme *runtime.Scheme
	// Indexes answer lists by field.
	Indexes []mhcspec.Index
	// Now returns the time at which objects are created and deleted.
	Now func() time.Time
	// Committed is called after each change. It may be nil.
	Committed func(Change)

	// kinds are sorted by name.
	kinds   []*history
	version int64
	uids    int
	// mu protects kinds, which readers add to.
	mu      sync.Mutex
	garbage garbage
}

// Change is one write that was stored.
type Change struct {
	Kind schema.GroupVersionKind
	Key  client.ObjectKey
	// Before is nil for an object that was created, After for one that was removed.
	Before, After *Object
}

// Kind returns the kind of an object.
func (s *Server) Kind(obj runtime.Object) schema.GroupVersionKind {
	of := typeOf{s.Scheme, reflect.TypeOf(obj)}
	if gvk, ok := goTypes.Load(of); ok {
		return gvk.(schema.GroupVersionKind)
	}
	gvk, err := kindOf(s.Scheme, obj)
	if err != nil {
		panic(fmt.Sprintf("apimodel: %v", err))
	}
	if !namesItsKind(obj) {
		goTypes.Store(of, gvk)
	}
	return gvk
}

// goTypes are the kinds of Go types, which all servers share.
var goTypes sync.Map

type typeOf struct {
	scheme *runtime.Scheme
	of     reflect.Type
}

// Latest returns the current version of an object, or nil.
func (s *Server) Latest(gvk schema.GroupVersionKind, key client.ObjectKey) *Object {
	return s.history(gvk).latest().find(key)
}

// All returns the current objects of a kind, by name. The list is shared; do not change it.
func (s *Server) All(gvk schema.GroupVersionKind) []*Object { return s.history(gvk).latest() }

func (s *Server) history(gvk schema.GroupVersionKind) *history {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.kinds {
		if h.kind == gvk {
			return h
		}
	}
	h := &history{kind: gvk, states: []state{nil}, changed: []client.ObjectKey{{}}}
	i, _ := slices.BinarySearchFunc(s.kinds, gvk, func(other *history, gvk schema.GroupVersionKind) int {
		return strings.Compare(other.kind.String(), gvk.String())
	})
	s.kinds = slices.Insert(s.kinds, i, h)
	return h
}

// commit stores a new version of an object; nil removes the object.
func (s *Server) commit(gvk schema.GroupVersionKind, key client.ObjectKey, after *Object) *Object {
	h := s.history(gvk)
	before := h.latest().find(key)
	s.version++
	if after != nil {
		after.key = key
		after.setVersion(strconv.FormatInt(s.version, 10))
	}
	h.states, h.changed = append(h.states, h.latest().with(key, after)), append(h.changed, key)
	if s.Committed != nil {
		s.Committed(Change{Kind: gvk, Key: key, Before: before, After: after})
	}
	return after
}

// uid returns a new UID.
func (s *Server) uid() types.UID {
	s.uids++
	return types.UID(fmt.Sprintf("%08x-0000-4000-8000-%012x", uint32(s.uids)*2654435761, s.uids))
}
