package uninstall

import (
	"context"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/lease"
	"github.com/sickbay-dev/sickbay/internal/lease/scope"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
)

// Item is an object with something of Sickbay's, or something that people wrote for Sickbay.
type Item struct {
	Object *unstructured.Unstructured
	// Ours describes what Sickbay has to take back.
	Ours []string
	// Yours are the annotations that people wrote for Sickbay.
	Yours []string
}

// String names the object for people.
func (i Item) String() string {
	return i.Object.GetKind() + " " + client.ObjectKeyFromObject(i.Object).String()
}

// clockSlack is how overdue a lease may be, since the person's clock may be fast.
const clockSlack = time.Minute

// Look reads everything in a namespace; empty means all.
func Look(ctx context.Context, reader client.Reader, namespace string, now time.Time) (Seen, error) {
	s := Seen{}
	if err := s.unread("leases", s.leases(ctx, reader, namespace, now)); err != nil {
		return s, err
	}
	s.LeadersUnread = len(s.Unread) > 0
	for _, kind := range kinds {
		if err := s.unread(kind.GroupKind().String(), s.objects(ctx, reader, kind, namespace)); err != nil {
			return s, err
		}
	}
	return s, nil
}

// unread records what may not be read. A kind that is not installed has nothing to find.
func (s *Seen) unread(what string, err error) error {
	switch {
	case err == nil, meta.IsNoMatchError(err), apierrors.IsNotFound(err):
		return nil
	case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
		s.Unread = append(s.Unread, fmt.Sprintf("%s: %v", what, err))
		return nil
	}
	return fmt.Errorf("reading %s: %w", what, err)
}

// leases finds the managers that lead and may write to the namespace.
func (s *Seen) leases(ctx context.Context, reader client.Reader, namespace string, now time.Time) error {
	var list coordinationv1.LeaseList
	if err := reader.List(ctx, &list, client.HasLabels{scope.Label}); err != nil {
		return err
	}
	for i := range list.Items {
		one, of := &list.Items[i], scope.Of(list.Items[i].Labels)
		if lease.Held(one, now, clockSlack) && of.Looks(namespace) {
			s.Leaders = append(s.Leaders, Leader{Name: fmt.Sprintf("%s (lease %s)", lease.Holder(one), client.ObjectKeyFromObject(one)), Scope: of})
		}
	}
	return nil
}

// page is how many objects are read in one request.
const page = 500

// objects reads all objects of a kind.
func (s *Seen) objects(ctx context.Context, reader client.Reader, kind schema.GroupVersionKind, namespace string) error {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
	for {
		if err := reader.List(ctx, list, client.InNamespace(namespace), client.Limit(page), client.Continue(list.GetContinue())); err != nil {
			return err
		}
		for i := range list.Items {
			obj := &list.Items[i]
			if item := (Item{obj, ours(obj), yours(obj)}); len(item.Ours)+len(item.Yours) > 0 {
				item.Object = obj.DeepCopy() // The list is filled again.
				s.Items = append(s.Items, item)
			}
		}
		if list.GetContinue() == "" {
			return nil
		}
	}
}

// Forget removes what people wrote for Sickbay on an object, unless somebody has changed it since it was read.
func Forget(ctx context.Context, writer client.Writer, item Item) error {
	patch := ownwrites.JSONPatch{ownwrites.TestUID(item.Object)}
	for _, name := range item.Yours {
		at := ownwrites.AnnotationPath(name)
		patch = append(patch, ownwrites.Test(at, item.Object.GetAnnotations()[name]), ownwrites.Remove(at))
	}
	obj := &unstructured.Unstructured{}
	obj.SetGroupVersionKind(item.Object.GroupVersionKind())
	obj.SetNamespace(item.Object.GetNamespace())
	obj.SetName(item.Object.GetName())
	err := writer.Patch(ctx, obj, patch, client.FieldOwner(ownwrites.CommandFieldOwner))
	if ownwrites.TestFailed(err) {
		return fmt.Errorf("%s has changed since it was read: run this again", item)
	}
	return client.IgnoreNotFound(err)
}
