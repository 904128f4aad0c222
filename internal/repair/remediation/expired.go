package remediation

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/openshift"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/retention"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// due returns the records to delete. It asks whether a host still exists only if that matters.
func (r *Reconciler) due(ctx context.Context, cluster client.ObjectKey, all []*v1alpha1.MachineRemediation, window windowOf) ([]*v1alpha1.MachineRemediation, error) {
	entries, err := r.entries(ctx, cluster, all, window)
	if err != nil {
		return nil, err
	}
	byUID := map[types.UID]*v1alpha1.MachineRemediation{}
	for i := range all {
		byUID[all[i].UID] = all[i]
	}
	limits, now, lives := r.History.OrDefault(), r.Clock.Now(), map[types.UID]bool{}
	for _, uid := range limits.Due(entries, now) {
		host := byUID[uid].Spec.HostRef
		if host == nil {
			continue
		}
		if _, known := lives[host.UID]; known {
			continue
		}
		if lives[host.UID], err = r.hostLives(ctx, cluster.Namespace, host); err != nil {
			return nil, err
		}
	}
	for i := range entries {
		entries[i].HostLives = lives[entries[i].Host]
	}
	var due []*v1alpha1.MachineRemediation
	for _, uid := range limits.Due(entries, now) {
		due = append(due, byUID[uid])
	}
	return due, nil
}

// entries converts the records for package retention.
func (r *Reader) entries(ctx context.Context, cluster client.ObjectKey, all []*v1alpha1.MachineRemediation, window windowOf) ([]retention.Record, error) {
	living, err := r.living(ctx, cluster)
	if err != nil {
		return nil, err
	}
	entries := make([]retention.Record, len(all))
	for i := range all {
		record := all[i]
		e := &entries[i]
		*e = retention.Record{
			UID: record.UID, HealthCheck: record.Spec.HealthCheckRef.UID, Ordinal: recordstore.Ordinal(record),
			Machine: record.Spec.MachineRef.UID, MachineLives: living[record.Spec.MachineRef.UID],
		}
		if host := record.Spec.HostRef; host != nil {
			e.Host = host.UID
		}
		if !closed(record) {
			continue
		}
		e.Ended = record.Status.CompletionTime.Time
		if e.Window, err = window(ctx, record); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// living returns the UIDs of a cluster's Machines. Those of OpenShift have no Cluster, and are all of their namespace.
func (r *Reader) living(ctx context.Context, cluster client.ObjectKey) (map[types.UID]bool, error) {
	living := map[types.UID]bool{}
	if r.OpenShift {
		machines := scaffold.MetadataListOf(openshift.Kind)
		if err := r.Cache.List(ctx, machines, client.InNamespace(cluster.Namespace), client.UnsafeDisableDeepCopy); err != nil {
			return nil, fmt.Errorf("listing machines in %s: %w", cluster.Namespace, err)
		}
		for i := range machines.Items {
			living[machines.Items[i].UID] = true
		}
		return living, nil
	}
	machines, err := mhcspec.MachinesOf(ctx, r.Cache, cluster)
	for i := range machines {
		living[machines[i].UID] = true
	}
	return living, err
}

// closed reports whether a record has ended and has no finalizer left.
func closed(record *v1alpha1.MachineRemediation) bool {
	_, open := record.Labels[v1alpha1.OpenLabel]
	return ladder.Ended(record) && !open && len(record.Finalizers) == 0
}

// hostKind is the kind of bare-metal hosts.
var hostKind = schema.GroupVersionKind{Group: "metal3.io", Version: "v1alpha1", Kind: "BareMetalHost"}

// hostLives reports whether a host still exists.
func (r *Reader) hostLives(ctx context.Context, namespace string, ref *v1alpha1.RemediationReference) (bool, error) {
	host := scaffold.MetadataOf(hostKind)
	err := r.Live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: ref.Name}, host)
	if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
		return false, nil
	}
	if scaffold.Answered(err) {
		// Nobody knows, so the records of this host stay. Those of all others do not wait for that.
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("getting BareMetalHost %s/%s: %w", namespace, ref.Name, err)
	}
	return host.UID == ref.UID, nil
}

// windowOf returns how long a record is remembered after it has ended.
type windowOf = func(context.Context, *v1alpha1.MachineRemediation) (time.Duration, error)

// leastWindow is the minimum time that the records of a plan are needed: pacing and replacement chains depend on them.
const leastWindow = time.Hour

// windows reads each plan once. Built-in plans have no memory; for a plan that is gone, it assumes the default.
func (r *Reader) windows() windowOf {
	known := map[types.UID]time.Duration{}
	return func(ctx context.Context, record *v1alpha1.MachineRemediation) (time.Duration, error) {
		ref := record.Spec.TemplateRef
		if ref == nil {
			return 0, nil
		}
		if window, ok := known[ref.UID]; ok {
			return window, nil
		}
		template, err := mhcspec.Plan(ctx, r.Cache, client.ObjectKey{Namespace: record.Namespace, Name: ref.Name})
		if err != nil {
			return 0, err
		}
		window := v1alpha1.DefaultRelapseWindow
		if template != nil {
			window = max(leastWindow, template.Spec.Template.Spec.RelapseWindow())
		}
		known[ref.UID] = window
		return window, nil
	}
}
