package machinehealthcheck

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
	reader := client.Reader(r.Client)
	if live {
		reader = r.Live
	}
	requests, err := requestsFor(ctx, reader, mhc)
	if meta.IsNoMatchError(err) {
		kind := remedy.RequestKind(ref).Kind
		return TemplateFacts{Missing: fmt.Sprintf("remediation request kind %s of %s is not installed", kind, ref.APIVersion)}, nil, nil
	}
	if err != nil {
		return TemplateFacts{}, nil, err
	}
	template := &metav1.PartialObjectMetadata{}
	template.SetGroupVersionKind(ref.GroupVersionKind())
	err = r.Client.Get(ctx, client.ObjectKey{Namespace: mhc.Namespace, Name: ref.Name}, template)
	switch {
	case meta.IsNoMatchError(err):
		return TemplateFacts{Missing: fmt.Sprintf("remediation template kind %s of %s is not installed", ref.Kind, ref.APIVersion)}, requests, nil
	case apierrors.IsNotFound(err):
		return TemplateFacts{Missing: fmt.Sprintf("remediation template %s %s does not exist", ref.Kind, ref.Name)}, requests, r.watchKinds(ref)
	case err != nil:
		return TemplateFacts{}, nil, fmt.Errorf("getting remediation template %s %s: %w", ref.Kind, ref.Name, err)
	}
	return TemplateFacts{}, requests, r.watchKinds(ref)
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
