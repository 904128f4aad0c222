package apimodel

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// View is what the caches of one process show: of each kind the state after some write, which is never one before that.
type View struct {
	server *Server
	at     map[schema.GroupVersionKind]int
}

// NewView returns caches that are up to date.
func (s *Server) NewView() *View { return &View{server: s, at: map[schema.GroupVersionKind]int{}} }

// Behind returns how many writes a cache has not seen. A cache of a kind that was never read is up to date.
func (v *View) Behind(gvk schema.GroupVersionKind) int {
	h := v.server.history(gvk)
	at, ok := v.at[gvk]
	if !ok {
		at = len(h.states) - 1
		v.at[gvk] = at
	}
	return len(h.states) - 1 - at
}

// Advance has a cache see all but the last few writes, and returns what is new to it. A cache never goes back.
func (v *View) Advance(gvk schema.GroupVersionKind, lag int) []Change {
	h, behind := v.server.history(gvk), v.Behind(gvk)
	if behind <= lag {
		return nil
	}
	from := v.at[gvk]
	v.at[gvk] += behind - lag
	news := make([]Change, 0, behind-lag)
	for i := from + 1; i <= v.at[gvk]; i++ {
		key := h.changed[i]
		news = append(news, Change{Kind: gvk, Key: key, Before: h.states[i-1][key], After: h.states[i][key]})
	}
	return news
}

// Rewind makes a cache that begins anew, as that of another process does, lag by that many writes, or as many as there were.
func (v *View) Rewind(gvk schema.GroupVersionKind, lag int) {
	v.at[gvk] = max(0, len(v.server.history(gvk).states)-1-lag)
}

// Kinds returns the kinds that have objects.
func (s *Server) Kinds() []schema.GroupVersionKind {
	kinds := make([]schema.GroupVersionKind, 0, len(s.kinds))
	for gvk := range s.kinds {
		kinds = append(kinds, gvk)
	}
	slices.SortFunc(kinds, func(a, b schema.GroupVersionKind) int { return strings.Compare(a.String(), b.String()) })
	return kinds
}

// Shows returns an object as the cache shows it, or nil.
func (v *View) Shows(gvk schema.GroupVersionKind, key client.ObjectKey) *Object {
	return v.state(gvk)[key]
}

func (v *View) state(gvk schema.GroupVersionKind) state {
	h := v.server.history(gvk)
	return h.states[len(h.states)-1-v.Behind(gvk)]
}

// Version is the resource version of the last write.
func (s *Server) Version() int64 { return s.version }
