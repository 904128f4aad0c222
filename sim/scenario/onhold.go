package scenario

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/fault"
)

// The annotations of a hold, as users know them.
const (
	holdUntil  = "sickbay.dev/hold-until"
	holdReason = "sickbay.dev/hold-reason"
)

// holdTime is how long the hold lasts.
const holdTime = 8 * time.Second

// onHold: somebody puts a MachineHealthCheck on hold until a time. Nobody removes the hold; it ends by itself.
func onHold(ctx context.Context, s *Stage) {
	machines := s.machines(ctx)
	machine := &machines[0]
	until := s.hold(ctx)
	// Only the hold stops Sickbay.
	judged := s.sickens(ctx, machine, s.longSilent(machine))
	s.healthCheck(ctx, clusterv1.MachineHealthCheckRemediationAllowedCondition, metav1.ConditionFalse, "OnHold", "RemediationAllowed=False OnHold")
	detected := s.since(judged)
	marked, ready := s.markedAndReplaced(ctx, machine, uids(machines))
	if marked.Before(until) {
		failf("machine %s was marked %s before the end of the hold", machine.Name, until.Sub(marked))
	}
	s.began = until
	s.outcome = Outcome{
		Detected: detected, Remediated: s.since(marked), Ready: s.since(ready),
		Remark: "not touched until the hold ended by itself; then times from its end",
	}
}

// longSilent stops a kubelet that has been silent for longer than its timeout.
func (s *Stage) longSilent(machine *clusterv1.Machine) fault.Fault {
	return fault.StopKubelet{Cluster: s.Key(), Node: machine.Status.NodeRef.Name, Since: time.Now().Add(-2 * nodeTimeout)}
}

// hold puts the MachineHealthCheck on hold, and returns when the hold ends.
func (s *Stage) hold(ctx context.Context) time.Time {
	at := time.Now()
	until := at.Add(holdTime).Truncate(time.Second)
	end := until.UTC().Format(time.RFC3339)
	s.annotateCheck(ctx, func(mhc *clusterv1.MachineHealthCheck) {
		metav1.SetMetaDataAnnotation(&mhc.ObjectMeta, holdUntil, end)
		metav1.SetMetaDataAnnotation(&mhc.ObjectMeta, holdReason, "the storage is being moved")
	})
	s.say(Decides, at, "%s annotates MachineHealthCheck %s with %s: %s", person, s.Name, holdUntil, end)
	return until
}

// annotateCheck changes the annotations of the MachineHealthCheck of the scenario.
func (s *Stage) annotateCheck(ctx context.Context, change func(*clusterv1.MachineHealthCheck)) {
	mhc, c := &clusterv1.MachineHealthCheck{}, s.World.Client()
	mustDo(c.Get(ctx, client.ObjectKey{Namespace: s.Namespace, Name: s.Name}, mhc), "getting MachineHealthCheck %s", s.Name)
	before := mhc.DeepCopy()
	change(mhc)
	mustDo(c.Patch(ctx, mhc, client.MergeFrom(before)), "annotating MachineHealthCheck %s", s.Name)
}
