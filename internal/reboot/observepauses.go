package reboot

import (
	"context"
	"fmt"
	"strings"
	"time"

	machinev1 "github.com/openshift/api/machine/v1beta1"
	"k8s.io/apimachinery/pkg/api/meta"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// lookForPause is how long to wait before checking again whether a pause is over, where no event says so.
const lookForPause = time.Minute

// pauses reads live why no attempt may begin now, and until when, if that is known. If it cannot read this, none may begin.
func (r *Reconciler) pauses(ctx context.Context, request *v1alpha1.RebootRemediation, m *machine) (why string, until time.Time) {
	now := r.Clock.Now()
	why, until, err := r.paused(ctx, m, now)
	if err != nil {
		r.reportFailure(request, readPauses, err)
		return "Sickbay cannot tell whether there is a pause", now.Add(lookForNode)
	}
	r.failures.Succeed(client.ObjectKeyFromObject(request), readPauses)
	if why != "" && until.IsZero() && r.Kind == OpenShiftKind {
		until = now.Add(lookForPause)
	}
	return why, until
}

func (r *Reconciler) paused(ctx context.Context, m *machine, now time.Time) (why string, until time.Time, err error) {
	for _, annotation := range []string{clusterv1.PausedAnnotation, clusterv1.MachineSkipRemediationAnnotation} {
		if mhcspec.HasAnnotation(m.object, annotation) {
			return "The Machine has the annotation " + annotation, time.Time{}, nil
		}
	}
	if of, ok := m.object.(*clusterv1.Machine); ok {
		return r.pausedInCluster(ctx, of, now)
	}
	return r.pausedInOpenShift(ctx, m.object, now)
}

// pausedInCluster checks the Cluster of a Machine, and the MachineHealthCheck that it belongs to.
func (r *Reconciler) pausedInCluster(ctx context.Context, m *clusterv1.Machine, now time.Time) (why string, until time.Time, err error) {
	cluster, on := &clusterv1.Cluster{}, []client.Object{m}
	if err := r.Live.Get(ctx, mhcspec.ClusterOf(m), cluster); client.IgnoreNotFound(err) != nil {
		return "", time.Time{}, fmt.Errorf("getting Cluster %s: %w", mhcspec.ClusterOf(m), err)
	}
	switch {
	case !cluster.DeletionTimestamp.IsZero():
		return "The Cluster is being deleted", time.Time{}, nil
	case mhcspec.ClusterPaused(cluster):
		return "Cluster spec.paused is set to true", time.Time{}, nil
	case cluster.Name != "":
		on = append(on, cluster)
	}
	mhc, err := r.healthCheckOf(ctx, m)
	if err != nil {
		return "", time.Time{}, err
	}
	if mhc != nil {
		if causes := mhcspec.Paused(mhc, cluster); len(causes) > 0 {
			return strings.Join(causes, ", "), time.Time{}, nil
		}
		on = append(on, mhc)
	}
	why, until = mhcspec.OnHold(now, on...)
	return why, until, nil
}

// healthCheckOf returns the MachineHealthCheck that a Machine belongs to; nil if there is none.
func (r *Reconciler) healthCheckOf(ctx context.Context, m *clusterv1.Machine) (*clusterv1.MachineHealthCheck, error) {
	var list clusterv1.MachineHealthCheckList
	if err := r.Live.List(ctx, &list, client.InNamespace(m.Namespace)); err != nil && !meta.IsNoMatchError(err) {
		return nil, fmt.Errorf("listing MachineHealthChecks in %s: %w", m.Namespace, err)
	}
	all := make([]*clusterv1.MachineHealthCheck, len(list.Items))
	for i := range list.Items {
		all[i] = &list.Items[i]
	}
	return r.selectors.Owner(m, all), nil
}

// pausedInOpenShift checks the MachineHealthChecks of OpenShift that select a Machine. It is not known which one asked, so any
// pause counts.
func (r *Reconciler) pausedInOpenShift(ctx context.Context, m client.Object, now time.Time) (why string, until time.Time, err error) {
	var list machinev1.MachineHealthCheckList
	if err := r.Live.List(ctx, &list, client.InNamespace(m.GetNamespace())); err != nil && !meta.IsNoMatchError(err) {
		return "", time.Time{}, fmt.Errorf("listing MachineHealthChecks of OpenShift in %s: %w", m.GetNamespace(), err)
	}
	named := m.DeepCopyObject().(client.Object)
	named.GetObjectKind().SetGroupVersionKind(OpenShiftKind)
	on := []client.Object{named}
	for _, mhc := range selecting(list.Items, m) {
		if mhcspec.HasAnnotation(mhc, clusterv1.PausedAnnotation) {
			return "MachineHealthCheck " + mhc.Name + " has the annotation " + clusterv1.PausedAnnotation, time.Time{}, nil
		}
		mhc.SetGroupVersionKind(machinev1.GroupVersion.WithKind("MachineHealthCheck"))
		on = append(on, mhc)
	}
	why, until = mhcspec.OnHold(now, on...)
	return why, until, nil
}

// ofPause maps a changed MachineHealthCheck or Cluster to the RebootRemediations that may be waiting for it.
func (r *Reconciler) ofPause(ctx context.Context, changed client.Object) []ctrl.Request {
	return r.rebootsIn(ctx, changed.GetNamespace(), func(request *v1alpha1.RebootRemediation) bool { return request.Status.SuspendedSince != nil })
}
