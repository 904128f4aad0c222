package apimodel

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// request is one write: the object, the part of it, and the writer.
type request struct {
	gvk    schema.GroupVersionKind
	key    client.ObjectKey
	status bool
	// owner is the field owner.
	owner string
	// applied is the content of a server-side apply; nil for any other write.
	applied map[string]any
}

// create stores a new object. It drops the status, which is a subresource.
func (s *Server) create(r request, raw map[string]any) (*Object, error) {
	meta := metadata(raw)
	if text(meta, "resourceVersion") != "" {
		return nil, errors.New("resourceVersion should not be set on objects to be created")
	}
	if s.Latest(r.gvk, r.key) != nil {
		return nil, apierrors.NewAlreadyExists(resource(r.gvk), r.key.Name)
	}
	delete(raw, "status")
	meta["uid"] = string(s.uid())
	meta["creationTimestamp"] = s.stamp()
	meta["generation"] = int64(1)
	for _, field := range []string{"deletionTimestamp", "deletionGracePeriodSeconds", "managedFields"} {
		delete(meta, field)
	}
	if err := validate(r.gvk, nil, raw); err != nil {
		return nil, err
	}
	owners := own(nil, raw, r)
	if r.gvk.Group == v1alpha1.GroupVersion.Group {
		// The default of their CustomResourceDefinitions.
		raw["status"] = map[string]any{"observedGeneration": int64(-1)}
	}
	obj := s.object(r.gvk, raw)
	obj.owners = owners
	obj.typed.SetManagedFields(entries(owners))
	return s.commit(r.gvk, r.key, obj), nil
}

// draft returns a copy of the part of an object that a request may change. The rest is shared.
func (r request) draft(old *Object) map[string]any {
	raw := maps.Clone(old.raw)
	for key, value := range raw {
		if key == "metadata" || (key == "status") == r.status {
			raw[key] = runtime.DeepCopyJSONValue(value)
		}
	}
	return raw
}

// change stores the result of mutate, limited to what the request may write.
func (s *Server) change(r request, mutate func(old *Object) (map[string]any, error)) (*Object, error) {
	old := s.Latest(r.gvk, r.key)
	if old == nil {
		return nil, notFound(r.gvk, r.key)
	}
	next, err := mutate(old)
	if err != nil {
		return nil, err
	}
	if err := s.sameObject(r, old, next); err != nil {
		return nil, err
	}
	next = bounded(r, old, next)
	next["apiVersion"], next["kind"] = old.raw["apiVersion"], old.raw["kind"]
	owners := own(old, next, r)
	if same(old.raw, next) {
		return s.unchanged(r, old), nil
	}
	if err := validate(r.gvk, old.raw, next); err != nil {
		return nil, err
	}
	if text(metadata(next), "deletionTimestamp") != "" && len(finalizers(next)) == 0 {
		s.commit(r.gvk, r.key, nil)
		return s.object(r.gvk, next), nil
	}
	after := s.successor(r, old, next, owners)
	after.applied = r.remember(old)
	return s.commit(r.gvk, r.key, after), nil
}

// unchanged records what was applied even if the object does not change.
func (s *Server) unchanged(r request, old *Object) *Object {
	if r.applied == nil {
		return old
	}
	now := *old
	now.applied = r.remember(old)
	h := s.history(r.gvk)
	h.states[len(h.states)-1] = h.latest().with(r.key, &now)
	return &now
}

// remember returns what was applied to an object, including what this request applies.
func (r request) remember(old *Object) map[string]map[string]any {
	if r.applied == nil {
		return old.applied
	}
	applied := make(map[string]map[string]any, len(old.applied)+1)
	maps.Copy(applied, old.applied)
	applied[r.appliedBy()] = r.applied
	return applied
}

// sameObject rejects a write that is meant for another version, or for another object of that
// name.
func (s *Server) sameObject(r request, old *Object, next map[string]any) error {
	meta, stored := metadata(next), metadata(old.raw)
	if uid := text(meta, "uid"); uid != "" && uid != text(stored, "uid") && !r.status {
		return invalid(r, "metadata.uid: field is immutable")
	}
	if version := text(meta, "resourceVersion"); version != "" && version != text(stored, "resourceVersion") {
		return conflict(r, "the object has been modified")
	}
	return nil
}

// bounded keeps the part of next that the request may write, and counts generations.
func bounded(r request, old *Object, next map[string]any) map[string]any {
	if r.status {
		bounded := maps.Clone(old.raw)
		bounded["metadata"] = maps.Clone(metadata(old.raw))
		delete(bounded, "status")
		if status, ok := next["status"]; ok {
			bounded["status"] = status
		}
		return bounded
	}
	delete(next, "status")
	if status, ok := old.raw["status"]; ok {
		next["status"] = status
	}
	meta, stored := metadata(next), metadata(old.raw)
	for _, field := range []string{"labels", "annotations", "finalizers", "ownerReferences"} {
		if empty(meta[field]) {
			delete(meta, field)
		}
	}
	for _, field := range []string{"name", "namespace", "uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "managedFields"} {
		delete(meta, field)
		if value, ok := stored[field]; ok {
			meta[field] = value
		}
	}
	if sameContent(old.raw, next) {
		shareContent(old.raw, next)
		return next
	}
	meta["generation"] = number(stored, "generation") + 1
	return next
}

// shareContent makes equal parts of two versions of an object the same in memory.
func shareContent(old, next map[string]any) {
	for key, value := range old {
		if key != "metadata" && key != "status" {
			next[key] = value
		}
	}
}

// sameContent compares everything but metadata and status.
func sameContent(a, b map[string]any) bool {
	for _, fields := range []map[string]any{a, b} {
		for key := range fields {
			switch key {
			case "metadata", "status", "apiVersion", "kind":
				continue
			}
			if !same(a[key], b[key]) {
				return false
			}
		}
	}
	return true
}

// remove deletes an object, or marks it as being deleted if it has finalizers.
func (s *Server) remove(r request, preconditions *preconditions) error {
	old := s.Latest(r.gvk, r.key)
	if old == nil {
		return notFound(r.gvk, r.key)
	}
	meta := metadata(old.raw)
	if preconditions.uid != nil && string(*preconditions.uid) != text(meta, "uid") {
		return conflict(r, "Precondition failed: UID")
	}
	if preconditions.version != nil && *preconditions.version != text(meta, "resourceVersion") {
		return conflict(r, "Precondition failed: resourceVersion")
	}
	if len(finalizers(old.raw)) == 0 {
		s.commit(r.gvk, r.key, nil)
		return nil
	}
	if text(meta, "deletionTimestamp") != "" {
		return nil
	}
	next := r.draft(old)
	meta = metadata(next)
	meta["deletionTimestamp"], meta["deletionGracePeriodSeconds"] = s.stamp(), int64(0)
	meta["generation"] = number(meta, "generation") + 1
	after := s.successor(r, old, next, old.owners)
	after.applied = old.applied
	s.commit(r.gvk, r.key, after)
	return nil
}

// preconditions are the preconditions of a deletion.
type preconditions struct {
	uid     *types.UID
	version *string
}

func finalizers(raw map[string]any) []any {
	list, _ := metadata(raw)["finalizers"].([]any)
	return list
}

func (s *Server) stamp() string { return s.Now().UTC().Format(time.RFC3339) }

func conflict(r request, why string) error {
	return apierrors.NewConflict(resource(r.gvk), r.key.Name, errors.New(why))
}

func invalid(r request, why string) error {
	return apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", resource(r.gvk), r.key.Name, fmt.Sprintf("%s %s: %s", r.gvk.Kind, r.key, why), 0, false)
}
