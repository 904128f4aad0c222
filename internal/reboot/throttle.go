package reboot

import (
	"context"
	"fmt"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/quorum"
)

// needsTurn reports whether an attempt may begin next. In a control plane the others have a say in that.
func needsTurn(f *Facts) bool {
	return f.Status.Phase == v1alpha1.Pending || f.Status.Phase == v1alpha1.CoolingDown
}

// begins reports whether a decision begins an attempt.
func begins(f *Facts, d Decision) bool { return d.Changed && d.Status.Attempt > f.Status.Attempt }

// takeTurn looks once more whether another machine of the control plane is cycled, past the cache, and keeps others from looking until
// it is released. Two can never begin at once; whatever else was read is as new as it was.
func (r *Reconciler) takeTurn(ctx context.Context, request *v1alpha1.RebootRemediation, v *view) (release func(), err error) {
	release = r.turns.lock(v.machine.plane())
	var live v1alpha1.RebootRemediationList
	if err := r.Live.List(ctx, &live, client.InNamespace(request.Namespace)); err != nil {
		release()
		return nil, fmt.Errorf("listing RebootRemediations in %s: %w", request.Namespace, err)
	}
	v.plane.Cycles = r.cycles(ctx, live.Items, request, v.machine)
	v.facts.Throttled = quorum.Waits(*v.plane)
	return release, nil
}

// cycles names the RebootRemediations that cycle another machine of the control plane of m, or may.
func (r *Reconciler) cycles(ctx context.Context, all []v1alpha1.RebootRemediation, request *v1alpha1.RebootRemediation, m *machine) []string {
	var names []string
	for i := range all {
		other := &all[i]
		if other.UID != request.UID && inCycle(other.Status.Phase) && r.mayBelongTo(ctx, other, m) {
			names = append(names, other.Name)
		}
	}
	return names
}

// mayBelongTo reports whether a RebootRemediation is about a machine of the control plane of m, by the labels of the Machine, which
// never change. Of one that is not there, that cannot be ruled out.
func (r *Reconciler) mayBelongTo(ctx context.Context, other *v1alpha1.RebootRemediation, m *machine) bool {
	ref := referenceOf(other)
	if ref.APIGroup != r.Kind.Group {
		return false
	}
	obj := &metav1.PartialObjectMetadata{}
	obj.SetGroupVersionKind(r.Kind)
	if err := r.Client.Get(ctx, client.ObjectKey{Namespace: other.Namespace, Name: ref.Name}, obj); err != nil {
		return true
	}
	cluster := obj.Labels[clusterv1.ClusterNameLabel]
	return inControlPlane(obj) && (cluster == "" || cluster == m.cluster.Name)
}

// inCycle tells whether a machine is, or may be, out of service by our doing.
func inCycle(phase v1alpha1.Phase) bool {
	return phase != "" && phase != v1alpha1.Pending && !phase.Ended()
}

// turns has one lock for each control plane. The zero value is ready.
type turns struct {
	mu sync.Mutex
	of map[client.ObjectKey]*sync.Mutex
}

func (t *turns) lock(plane client.ObjectKey) (release func()) {
	t.mu.Lock()
	if t.of == nil {
		t.of = map[client.ObjectKey]*sync.Mutex{}
	}
	if t.of[plane] == nil {
		t.of[plane] = &sync.Mutex{}
	}
	turn := t.of[plane]
	t.mu.Unlock()
	turn.Lock()
	return turn.Unlock
}
