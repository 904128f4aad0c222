package scenario

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/journal"
)

// neverJoins: the pool grows by a machine whose Node never comes. Its replacement's Node
// does.
func neverJoins(ctx context.Context, s *Stage) (Outcome, error) {
	machines, err := s.machines(ctx)
	if err != nil {
		return Outcome{}, err
	}
	held := fault.HoldBack{Cluster: s.Key(), MachineDeployment: s.Deployment()}
	if err := s.breaks(ctx, held); err != nil {
		return Outcome{}, err
	}
	if err := s.scale(ctx, s.Workers+1); err != nil {
		return Outcome{}, err
	}
	known := uids(machines)
	entry, err := s.Journal.Await(ctx, "a new machine", func(e journal.Entry) bool {
		m, ok := e.Object.(*clusterv1.Machine)
		return ok && sameOwner(m, &machines[0]) && !slices.Contains(known, m.UID)
	})
	if err != nil {
		return Outcome{}, err
	}
	late := entry.Object.(*clusterv1.Machine)
	if _, err := s.judged(ctx, late, metav1.ConditionUnknown, "WaitingForNodeRef", true); err != nil {
		return Outcome{}, err
	}
	if err := s.mends(ctx, held, "machines made from now on will join"); err != nil {
		return Outcome{}, err
	}
	// The startup clock of a machine starts when its infrastructure is ready, which takes a
	// moment.
	return s.remediated(ctx, late, append(known, late.UID), "NodeStartupTimedOut", startupTimeout)
}

// scale changes the size of the pool.
func (s *Stage) scale(ctx context.Context, replicas int) error {
	deployment := &clusterv1.MachineDeployment{}
	if err := s.World.Client().Get(ctx, client.ObjectKey{Namespace: s.Namespace, Name: s.Deployment()}, deployment); err != nil {
		return fmt.Errorf("getting machine deployment %s: %w", s.Deployment(), err)
	}
	before := deployment.DeepCopy()
	deployment.Spec.Replicas = new(int32(replicas))
	if err := s.World.Client().Patch(ctx, deployment, client.MergeFrom(before)); err != nil {
		return fmt.Errorf("scaling machine deployment %s: %w", s.Deployment(), err)
	}
	return nil
}
