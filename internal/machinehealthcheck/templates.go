package machinehealthcheck

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/remedy"
)

// requestsTimeout bounds the reading of templates and requests. Their kinds are not
// ours, and a cache that may not list a kind waits for ever.
const requestsTimeout = 10 * time.Second

// observeRequests looks for the template and for the requests that stand, by
// Machine name. They are read as metadata, since the decision needs no more; the
// requests past the cache if live is set.
func (r *Reconciler) observeRequests(ctx context.Context, mhc *clusterv1.MachineHealthCheck, live bool) (TemplateFacts, map[string]*metav1.PartialObjectMetadata, error) {
	ref := mhc.Spec.Remediation.TemplateRef
	ctx, cancel := context.WithTimeout(ctx, requestsTimeout)
	defer cancel()
	if missing, err := r.unreadable(ctx, remedy.RequestKind(ref), "request"); missing != "" || err != nil {
		return TemplateFacts{Missing: missing}, nil, err
	}
	reader := client.Reader(r.Client)
	if live {
		reader = r.Live
	}
	requests, err := requestsFor(ctx, reader, mhc)
	if err != nil {
		return r.uninstalled(err, remedy.RequestKind(ref), "request"), nil, ignoreUninstalled(err)
	}
	if missing, err := r.unreadable(ctx, ref.GroupVersionKind(), "template"); missing != "" || err != nil {
		return TemplateFacts{Missing: missing}, requests, err
	}
	template := &metav1.PartialObjectMetadata{}
	template.SetGroupVersionKind(ref.GroupVersionKind())
	err = r.Client.Get(ctx, client.ObjectKey{Namespace: mhc.Namespace, Name: ref.Name}, template)
	if apierrors.IsNotFound(err) {
		return TemplateFacts{Missing: fmt.Sprintf("remediation template %s %s does not exist", ref.Kind, ref.Name)}, requests, r.watchKinds(ref)
	}
	if err != nil {
		err = fmt.Errorf("getting remediation template %s %s: %w", ref.Kind, ref.Name, err)
		return r.uninstalled(err, ref.GroupVersionKind(), "template"), requests, ignoreUninstalled(err)
	}
	return TemplateFacts{}, requests, r.watchKinds(ref)
}

// uninstalled says that a kind is missing which could be read before; nothing if err
// is another one.
func (r *Reconciler) uninstalled(err error, gvk schema.GroupVersionKind, what string) TemplateFacts {
	if !meta.IsNoMatchError(err) {
		return TemplateFacts{}
	}
	r.kinds.readable.Delete(gvk)
	return TemplateFacts{Missing: notInstalled(gvk, what)}
}

func ignoreUninstalled(err error) error {
	if meta.IsNoMatchError(err) {
		return nil
	}
	return err
}

func notInstalled(gvk schema.GroupVersionKind, what string) string {
	return fmt.Sprintf("remediation %s kind %s of %s is not installed", what, gvk.Kind, gvk.GroupVersion())
}

// unreadable says why objects of a kind cannot be read; empty if they can. A cache
// that is asked for a kind which it may not list waits for ever, so the API server is
// asked once before.
func (r *Reconciler) unreadable(ctx context.Context, gvk schema.GroupVersionKind, what string) (string, error) {
	if r.kinds.isReadable(gvk) {
		return "", nil
	}
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	err := r.Live.List(ctx, list, client.InNamespace(r.Namespace), client.Limit(1))
	switch {
	case meta.IsNoMatchError(err), apierrors.IsNotFound(err):
		return notInstalled(gvk, what), nil
	case apierrors.IsForbidden(err):
		return fmt.Sprintf("remediation %s kind %s of %s may not be read: Sickbay lacks the permission", what, gvk.Kind, gvk.GroupVersion()), nil
	case err != nil:
		return "", fmt.Errorf("listing %s: %w", gvk.Kind, err)
	}
	r.kinds.setReadable(gvk)
	return "", nil
}

func requestsFor(ctx context.Context, reader client.Reader, mhc *clusterv1.MachineHealthCheck) (map[string]*metav1.PartialObjectMetadata, error) {
	gvk := remedy.RequestKind(mhc.Spec.Remediation.TemplateRef)
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	if err := reader.List(ctx, list, client.InNamespace(mhc.Namespace)); err != nil {
		return nil, fmt.Errorf("listing %s in %s: %w", gvk.Kind, mhc.Namespace, err)
	}
	requests := make(map[string]*metav1.PartialObjectMetadata, len(list.Items))
	for i := range list.Items {
		request := &list.Items[i]
		request.SetGroupVersionKind(gvk)
		requests[request.Name] = request
	}
	return requests, nil
}
