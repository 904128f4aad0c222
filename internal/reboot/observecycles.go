package reboot

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/reboot/quorum"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// takeTurn checks again, past the cache, whether another RebootRemediation cycles this machine or another one of its control plane. Nobody
// else can check until release is called, so two cycles never begin at once. The other facts stay as they were read.
func (r *Reconciler) takeTurn(ctx context.Context, request *v1alpha1.RebootRemediation, v *view) (release func(), err error) {
	turn := client.ObjectKey{Namespace: request.Namespace, Name: "machine/" + referenceOf(request).Name}
	if v.plane != nil {
		turn = v.machine.plane()
	}
	release = r.turns.lock(turn)
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

// cycles names the RebootRemediations that cycle, or may cycle, another machine of the control plane of m. One that stands back does not
// count: it waits for its turn again.
func (r *Reconciler) cycles(ctx context.Context, all []v1alpha1.RebootRemediation, request *v1alpha1.RebootRemediation, m *machine) []string {
	var names []string
	for i := range all {
		other := &all[i]
		if other.UID != request.UID && cycle.InCycle(other.Status.Phase) && !cycle.StandsBack(&other.Status) && r.mayBelongTo(ctx, other, m) {
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
	obj := &metav1.PartialObjectMetadata{}
	obj.SetGroupVersionKind(r.Kind)
	if err := r.Client.Get(ctx, client.ObjectKey{Namespace: other.Namespace, Name: ref.Name}, obj); err != nil {
		return true
	}
	cluster := obj.Labels[clusterv1.ClusterNameLabel]
	return inControlPlane(obj) && (cluster == "" || cluster == m.cluster.Name)
}

// turns has one lock for each control plane, and for each other machine, that is about to begin a cycle. The zero value is ready to use.
type turns struct {
	mu sync.Mutex
	of map[client.ObjectKey]*turn
}

type turn struct {
	sync.Mutex
	// users counts who holds the lock or waits for it.
	users int
}

func (t *turns) lock(whose client.ObjectKey) (release func()) {
	t.mu.Lock()
	if t.of == nil {
		t.of = map[client.ObjectKey]*turn{}
	}
	one := t.of[whose]
	if one == nil {
		one = &turn{}
		t.of[whose] = one
	}
	one.users++
	t.mu.Unlock()
	one.Lock()
	return func() {
		one.Unlock()
		t.mu.Lock()
		defer t.mu.Unlock()
		if one.users--; one.users == 0 {
			delete(t.of, whose)
		}
	}
}

// errBusy says that as many workers as allowed are busy with a workload cluster.
var errBusy = errors.New("others are busy with the workload cluster")

// busyRetry is how long to wait before trying such a cluster again.
const busyRetry = time.Second

// visit is the place of one Reconcile in a workload cluster. Reconcile keeps it to the end, so that a cycle that has begun with its Node
// in a slow cluster can finish, and its deadlines do not pass while it queues.
type visit struct {
	places *workload.Places
	leave  func()
}

// begin takes a place, unless the visit already has one.
func (v *visit) begin(cluster client.ObjectKey) error {
	if v.leave != nil {
		return nil
	}
	leave, ok := v.places.TryEnter(cluster)
	if !ok {
		return errBusy
	}
	v.leave = leave
	return nil
}

func (v *visit) end() {
	if v.leave != nil {
		v.leave()
	}
}
