package scenario

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/fault"
)

// neverJoins: the pool grows by a machine whose Node never comes. Its replacement's Node
// does.
func neverJoins(ctx context.Context, s *Stage) {
	machines := s.machines(ctx)
	held := fault.HoldBack{Cluster: s.Key(), MachineDeployment: s.Deployment()}
	s.breaks(ctx, held)
	s.scale(ctx, s.Workers+1)
	known := uids(machines)
	late := s.newMachine(ctx, "a new machine", &machines[0], known)
	s.judged(ctx, late, metav1.ConditionUnknown, "WaitingForNodeRef")
	s.mends(ctx, held, "machines made from now on will join")
	// The startup clock of a machine starts when its infrastructure is ready, which takes a
	// moment.
	s.remediated(ctx, late, append(known, late.UID), "NodeStartupTimedOut", startupTimeout, "")
}

// scale changes the size of the pool.
func (s *Stage) scale(ctx context.Context, replicas int) {
	deployment := &clusterv1.MachineDeployment{}
	err := s.World.Client().Get(ctx, client.ObjectKey{Namespace: s.Namespace, Name: s.Deployment()}, deployment)
	mustDo(err, "getting machine deployment %s", s.Deployment())
	before := deployment.DeepCopy()
	deployment.Spec.Replicas = new(int32(replicas))
	mustDo(s.World.Client().Patch(ctx, deployment, client.MergeFrom(before)), "scaling machine deployment %s", s.Deployment())
}
