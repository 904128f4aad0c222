package apimodel

import (
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// View is the caches of one process. For each kind, it shows the state after some write, and never goes back.
type View struct {
	server *Server
	at     map[*history]int
	// mu protects at, which readers add to.
	mu sync.Mutex
}

// NewView returns caches that are up to date.
func (s *Server) NewView() *View { return &View{server: s, at: map[*history]int{}} }

// Behind returns how many writes a cache has not seen. A cache of a kind that was never read is up to date.
func (v *View) Behind(gvk schema.GroupVersionKind) int {
	return v.behind(v.server.history(gvk))
}

func (v *View) behind(h *history) int {
	v.mu.Lock()
	defer v.mu.Unlock()
	at, ok := v.at[h]
	if !ok {
		at = len(h.states) - 1
		v.at[h] = at
	}
	return len(h.states) - 1 - at
}

// Advance makes a cache see all but the last lag writes, and returns what is new to it. A cache never goes back.
func (v *View) Advance(gvk schema.GroupVersionKind, lag int) []Change {
	h := v.server.history(gvk)
	behind := v.behind(h)
	if behind <= lag {
		return nil
	}
	from := v.at[h]
	v.at[h] += behind - lag
	news := make([]Change, 0, behind-lag)
	for i := from + 1; i <= v.at[h]; i++ {
		key := h.changed[i]
		news = append(news, Change{Kind: gvk, Key: key, Before: h.states[i-1].find(key), After: h.states[i].find(key)})
	}
	return news
}

// Rewind makes a new cache, such as that of a new process, lag by that many writes, or by as many as there were.
func (v *View) Rewind(gvk schema.GroupVersionKind, lag int) {
	h := v.server.history(gvk)
	v.at[h] = max(0, len(h.states)-1-lag)
}

// Find returns an object from a cache; nil if the cache does not have it.
func (v *View) Find(gvk schema.GroupVersionKind, key client.ObjectKey) *Object {
	return v.state(gvk).find(key)
}

// All returns the objects of a kind from a cache, by name. The list is shared; do not change it.
func (v *View) All(gvk schema.GroupVersionKind) []*Object { return v.state(gvk) }

func (v *View) state(gvk schema.GroupVersionKind) state {
	h := v.server.history(gvk)
	return h.states[len(h.states)-1-v.behind(h)]
}

// Version returns the resource version of the last write.
func (s *Server) Version() int64 { return s.version }
