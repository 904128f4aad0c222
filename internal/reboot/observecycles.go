package reboot

import (
	"context"
	"fmt"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/reboot/quorum"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// reserve checks again, past the cache, whether another RebootRemediation cycles this machine or another one of its control plane. Nobody
// else can check until release is called, so two cycles never begin at once. The other facts stay as they were read.
func (r *Reconciler) reserve(ctx context.Context, request *v1alpha1.RebootRemediation, v *view) (release func(), err error) {
	key := client.ObjectKey{Namespace: request.Namespace, Name: "machine/" + referenceOf(request).Name}
	if v.plane != nil {
		key = v.machine.plane()
	}
	release = r.beginning.lock(key)
	if err := r.lookAgain(ctx, request, v); err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// lookAgain reads the other RebootRemediations of the Machine, and of its control plane, past the cache.
func (r *Reconciler) lookAgain(ctx context.Context, request *v1alpha1.RebootRemediation, v *view) (err error) {
	if v.facts.Siblings, err = r.siblings(ctx, request); err != nil || v.plane == nil {
		return err
	}
	var live v1alpha1.RebootRemediationList
	if err := r.Live.List(ctx, &live, client.InNamespace(request.Namespace)); err != nil {
		return fmt.Errorf("listing RebootRemediations in %s: %w", request.Namespace, err)
	}
	v.plane.Cycles = r.cycles(ctx, live.Items, request, v.machine)
	v.facts.Throttled = quorum.Waits(*v.plane)
	return nil
}

// cycles names the RebootRemediations that cycle, or may cycle, another machine of the control plane of m.
func (r *Reconciler) cycles(ctx context.Context, all []v1alpha1.RebootRemediation, request *v1alpha1.RebootRemediation, m *machine) []string {
	var names []string
	for i := range all {
		other := &all[i]
		if other.UID != request.UID && IsCycle(other) && cycle.InCycle(other.Status.Phase) && r.mayBelongTo(ctx, other, m) {
			names = append(names, other.Name)
		}
	}
	return names
}

// mayBelongTo reports whether a RebootRemediation is about a machine of the control plane of m. It goes by the labels of the Machine,
// which never change. If the Machine does not exist, the answer is yes, to be safe.
func (r *Reconciler) mayBelongTo(ctx context.Context, other *v1alpha1.RebootRemediation, m *machine) bool {
	ref := referenceOf(other)
	if ref.APIGroup != r.Kind.Group {
		return false
	}
	obj := scaffold.MetadataOf(r.Kind)
	if err := r.Client.Get(ctx, client.ObjectKey{Namespace: other.Namespace, Name: ref.Name}, obj); err != nil {
		return true
	}
	cluster := obj.Labels[clusterv1.ClusterNameLabel]
	return inControlPlane(obj) && (cluster == "" || cluster == m.cluster.Name)
}
