package machinehealthcheck

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// search says which requests were looked for.
type search struct {
	uid types.UID
	gvk schema.GroupVersionKind
}

// observeStrays records what was asked for the targets without a record. While they are paused nothing is taken over, so it does not
// look.
func (r *Reader) observeStrays(ctx context.Context, f *admission.Facts) error {
	if len(mhcspec.Paused(f.MachineHealthCheck, f.Cluster)) > 0 {
		return nil
	}
	requests, err := r.strayRequests(ctx, f)
	if err != nil {
		return err
	}
	for i := range f.Targets {
		target := &f.Targets[i]
		target.Stray = admission.Stray(target.Machine, requests[target.Machine.Name])
	}
	return nil
}

// strayRequests returns the requests that may have no record here, by name. Only a move to this management cluster brings new ones, and
// health checks with them, so one search without a result is enough for each.
func (r *Reader) strayRequests(ctx context.Context, f *admission.Facts) (map[string]*metav1.PartialObjectMetadata, error) {
	mhc := f.MachineHealthCheck
	ref := mhc.Spec.Remediation.TemplateRef
	_, readable := r.readable.Load(remedy.RequestKind(ref))
	if !ref.IsDefined() || mhcspec.NamesPlan(mhc) || !readable {
		return nil, nil
	}
	key, what := client.ObjectKeyFromObject(mhc), search{mhc.UID, remedy.RequestKind(ref)}
	if r.memory.Get(key).lookedFor == what {
		return nil, nil
	}
	requests, err := r.listRequests(ctx, ref, mhc.Namespace)
	if scaffold.Answered(err) {
		return nil, nil
	}
	if err != nil {
		return nil, ignoreUninstalled(err)
	}
	if !admission.StraysAmong(*f, requests) && !r.waitingRequests(ctx, mhc, requests) {
		r.memory.Update(key, func(m *remembered) { m.lookedFor = what })
	}
	return requests, nil
}

// waitingRequests reports whether there is a request for a selected Machine that is not a target now: it is taken over when nobody
// pauses or skips the Machine any more.
func (r *Reader) waitingRequests(ctx context.Context, mhc *clusterv1.MachineHealthCheck, requests map[string]*metav1.PartialObjectMetadata) bool {
	for name := range requests {
		machine := &clusterv1.Machine{}
		if err := r.Cache.Get(ctx, client.ObjectKey{Namespace: mhc.Namespace, Name: name}, machine); err != nil {
			continue
		}
		if r.Selectors.Matches(mhc, machine) && !mhcspec.IsTarget(machine) {
			return true
		}
	}
	return false
}

func (r *Reader) listRequests(ctx context.Context, ref clusterv1.MachineHealthCheckRemediationTemplateReference, namespace string) (map[string]*metav1.PartialObjectMetadata, error) {
	gvk := remedy.RequestKind(ref)
	list := scaffold.MetadataListOf(gvk)
	if err := r.Live.List(ctx, list, client.InNamespace(namespace)); err != nil {
		return nil, fmt.Errorf("listing %s in %s: %w", gvk.Kind, namespace, err)
	}
	requests := make(map[string]*metav1.PartialObjectMetadata, len(list.Items))
	for i := range list.Items {
		list.Items[i].SetGroupVersionKind(gvk)
		requests[list.Items[i].Name] = &list.Items[i]
	}
	return requests, nil
}
