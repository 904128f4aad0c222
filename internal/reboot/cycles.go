package reboot

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// cyclesIn lists the power cycles of a namespace, or of all. From a cache they are not copied: the caller must not change them.
func cyclesIn(ctx context.Context, from client.Reader, namespace string) ([]*v1alpha1.RebootRemediation, error) {
	var list v1alpha1.RebootRemediationList
	if err := from.List(ctx, &list, client.InNamespace(namespace), client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("listing RebootRemediations in %s: %w", cmp.Or(namespace, "all namespaces"), err)
	}
	var cycles []*v1alpha1.RebootRemediation
	for i := range list.Items {
		if IsCycle(&list.Items[i]) {
			cycles = append(cycles, &list.Items[i])
		}
	}
	return cycles, nil
}

// siblings reads the other RebootRemediations of the Machine, in the order in which they ended. Usually there are none. It reads live
// those that may have changed since the cache was updated.
func (r reader) siblings(ctx context.Context, request *v1alpha1.RebootRemediation) ([]v1alpha1.RebootRemediation, error) {
	cycles, err := cyclesIn(ctx, r.cached, request.Namespace)
	if err != nil {
		return nil, err
	}
	var others []v1alpha1.RebootRemediation
	for _, other := range cycles {
		if other.UID == request.UID || *other.Spec.Machine != *request.Spec.Machine {
			continue
		}
		current, err := r.current(ctx, other)
		if err != nil {
			return nil, err
		}
		if current != nil {
			others = append(others, *current)
		}
	}
	slices.SortFunc(others, func(a, b v1alpha1.RebootRemediation) int {
		if a.Status.FinishedAt.Equal(b.Status.FinishedAt) {
			return cmp.Compare(a.Name, b.Name)
		}
		if a.Status.FinishedAt.Before(b.Status.FinishedAt) {
			return -1
		}
		return 1
	})
	return others, nil
}

// current returns a RebootRemediation as it is now; nil if it is gone. One that has ended and owes its Node nothing does not change
// any more, so the cache will do.
func (r reader) current(ctx context.Context, cached *v1alpha1.RebootRemediation) (*v1alpha1.RebootRemediation, error) {
	if cached.Status.Phase.Ended() && !cycle.OwesNode(&cached.Status) {
		return cached, nil
	}
	return scaffold.Find(ctx, r.live, client.ObjectKeyFromObject(cached), &v1alpha1.RebootRemediation{})
}

// inCycle names the RebootRemediations that cycle, or may cycle, another machine of the control plane of m.
func (r reader) inCycle(ctx context.Context, all []*v1alpha1.RebootRemediation, request *v1alpha1.RebootRemediation, m *machine) []string {
	var names []string
	for _, other := range all {
		if other.UID != request.UID && cycle.InCycle(other.Status.Phase) && r.mayBelongTo(ctx, other, m) {
			names = append(names, other.Name)
		}
	}
	return names
}

// mayBelongTo reports whether a RebootRemediation is about a machine of the control plane of m. It goes by the labels of the Machine,
// which never change. If the Machine does not exist, the answer is yes, to be safe.
func (r reader) mayBelongTo(ctx context.Context, other *v1alpha1.RebootRemediation, m *machine) bool {
	ref := other.Spec.Machine
	if ref.APIGroup != r.kind.Group {
		return false
	}
	obj := scaffold.MetadataOf(r.kind)
	if err := r.cached.Get(ctx, client.ObjectKey{Namespace: other.Namespace, Name: ref.Name}, obj); err != nil {
		return true
	}
	cluster := obj.Labels[clusterv1.ClusterNameLabel]
	return inControlPlane(obj) && (cluster == "" || cluster == m.cluster.Name)
}
