package uninstall

import (
	"context"
	"errors"
	"fmt"
	"strings"

	coordinationv1 "k8s.io/api/coordination/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/lease"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/uninstall/trace"
)

// fieldOwner is the field manager of the removals. It owns no field afterwards.
const fieldOwner = client.FieldOwner("sickbay-uninstall")

// maxWrites is how many writes one object may take, even if others keep writing to it.
const maxWrites = 50

// TakeBack removes what a survey found, item by item, and reports each. If one cannot be removed, the others are removed all the same.
// Exceptions: records stay until their hosts and Nodes are released, and the kinds are removed last.
func (u *Uninstaller) TakeBack(ctx context.Context, s Survey, tell func(Item, error)) error {
	var failed []error
	for _, item := range s.Items {
		if len(item.What) == 0 {
			continue
		}
		if item.step == dropKinds && (len(failed) > 0 || s.ObjectsUnread) {
			err := errors.New("it stays, as not everything could be taken back")
			tell(item, err)
			failed = append(failed, fmt.Errorf("%s: %w", item, err))
			continue
		}
		err := u.item(ctx, item)
		tell(item, err)
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", item, err))
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return errors.Join(failed...)
}

func (u *Uninstaller) item(ctx context.Context, item Item) error {
	switch item.step {
	case serveNodes:
		return u.serveNode(ctx, item.Key)
	case dropLeases:
		return u.dropLease(ctx, item.Key)
	case dropKinds:
		return u.dropKind(ctx, item.Key.Name)
	default:
		return u.clean(ctx, u.Client, item)
	}
}

// clean removes everything of Sickbay's from an object, one write at a time, and decides again before each.
func (u *Uninstaller) clean(ctx context.Context, c client.Client, item Item) error {
	for range maxWrites {
		obj := &unstructured.Unstructured{}
		obj.SetGroupVersionKind(item.Kind)
		if err := c.Get(ctx, item.Key, obj); err != nil {
			return client.IgnoreNotFound(err)
		}
		found := trace.Of(obj, u.Options)
		if len(found.Ours) == 0 {
			return waits(obj)
		}
		if item.Kind == trace.Reboots {
			if err := u.mayGo(ctx, item.Key); err != nil {
				return err
			}
		}
		if err := write(ctx, c, obj, found.Ours[0]); err != nil && !changed(err) {
			return err
		}
	}
	return errors.New("somebody writes to it all the time: try again")
}

// waits returns an error that names what others still keep our object for.
func waits(obj *unstructured.Unstructured) error {
	ours := obj.GroupVersionKind() == trace.Records || obj.GroupVersionKind() == trace.Reboots
	if finalizers := obj.GetFinalizers(); ours && obj.GetDeletionTimestamp() != nil && len(finalizers) > 0 {
		return fmt.Errorf("it is deleted, and stays for the finalizers of others: %s", strings.Join(finalizers, ", "))
	}
	return nil
}

// mayGo returns an error while something depends on a RebootRemediation: nothing else records what its Node had.
func (u *Uninstaller) mayGo(ctx context.Context, key client.ObjectKey) error {
	request := &v1alpha1.RebootRemediation{}
	if err := u.Client.Get(ctx, key, request); err != nil {
		return client.IgnoreNotFound(err)
	}
	if u.owed(ctx, request) {
		return fmt.Errorf("it stays, as its Node %s is not back in service; run this again once it is there, or give it up with --leave-nodes", request.Status.Node.Name)
	}
	if request.Status.Host == nil {
		return nil
	}
	host := &unstructured.Unstructured{}
	host.SetGroupVersionKind(trace.Hosts)
	err := u.Client.Get(ctx, client.ObjectKey{Namespace: key.Namespace, Name: request.Status.Host.Name}, host)
	if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading its host: %w", err)
	}
	if found := trace.Of(host, u.Options); len(found.Ours) > 0 {
		return fmt.Errorf("it stays, as its host %s is not released", host.GetName())
	}
	return nil
}

func write(ctx context.Context, c client.Client, obj *unstructured.Unstructured, f trace.Finding) error {
	if f.Deletes() {
		uid, version := obj.GetUID(), obj.GetResourceVersion()
		return client.IgnoreNotFound(c.Delete(ctx, obj, client.Preconditions{UID: &uid, ResourceVersion: &version}))
	}
	if f.Status {
		return client.IgnoreNotFound(c.Status().Patch(ctx, obj, f.Patch, fieldOwner))
	}
	return client.IgnoreNotFound(c.Patch(ctx, obj, f.Patch, fieldOwner))
}

// changed reports whether a write failed because the object had changed. A rejection of the object itself has other causes.
func changed(err error) bool {
	return apierrors.IsConflict(err) || ownwrites.TestFailed(err)
}

// dropLease deletes a lease, unless somebody has begun to lead.
func (u *Uninstaller) dropLease(ctx context.Context, key client.ObjectKey) error {
	current := &coordinationv1.Lease{}
	if err := u.Client.Get(ctx, key, current); err != nil {
		return client.IgnoreNotFound(err)
	}
	if lease.Held(current, u.Clock.Now(), clockSlack) {
		return fmt.Errorf("%s holds it", lease.Holder(current))
	}
	return client.IgnoreNotFound(u.Client.Delete(ctx, current, client.Preconditions{UID: &current.UID, ResourceVersion: &current.ResourceVersion}))
}

// surveyKinds finds the definitions of Sickbay's kinds.
func (u *Uninstaller) surveyKinds(ctx context.Context, s *Survey) error {
	var list metav1.PartialObjectMetadataList
	kind := apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition")
	list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
	if err := u.Client.List(ctx, &list); err != nil {
		return err
	}
	for i := range list.Items {
		if _, group, _ := strings.Cut(list.Items[i].Name, "."); group == v1alpha1.GroupVersion.Group && list.Items[i].DeletionTimestamp == nil {
			s.Items = append(s.Items, Item{Kind: kind, Key: client.ObjectKey{Name: list.Items[i].Name}, What: []string{"the whole object, and all plans and templates of its kind"}, step: dropKinds})
		}
	}
	return nil
}

func (u *Uninstaller) dropKind(ctx context.Context, name string) error {
	definition := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name}}
	definition.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
	return client.IgnoreNotFound(u.Client.Delete(ctx, definition))
}
